#include "tests/cli/cli_process.h"
#include "tests/cli/cluster_runs.h"
#include "tests/support/runner.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <filesystem>

namespace test_cli_cluster_faults {

using namespace headscope::test;
namespace fs = std::filesystem;

namespace {

constexpr int kTryAgain = 75;
constexpr int kWaitMs = 60'000;

QStringList runArguments(const ClusterRuns& runs) {
    return {QStringLiteral("sweep"), QStringLiteral("run"), QString::fromStdString(runs.plan()),
            QStringLiteral("-o"), QString::fromStdString(runs.parts())};
}

} // namespace

/// What goes wrong on a cluster is refused by name, and what was interrupted goes on.
class TestCliClusterFaults : public QObject {
    Q_OBJECT

private slots:
    void missingPartsAreNamed() {
        const ClusterRuns runs = planned();
        QVERIFY(runs.run("1/2").exit_code == 0);
        refused(runs.merge(), {"lacks", runs.unitNames().back()});
        QVERIFY(!fs::exists(runs.path("merged.json")));
    }

    void damagedPartsAreNamedAndComputedAgain() {
        const ClusterRuns runs = complete();
        const std::string part = runs.partFiles().front().string();
        const std::string content = contentOf(part);
        std::string damaged = content;
        damaged[damaged.rfind("values") + 10] ^= 1;
        writeText(part, damaged);
        refused(runs.merge(), {part, "is damaged"});
        QCOMPARE(runs.status()["damaged"].size(), 1u);
        const CliResult again = runs.run("");
        QVERIFY2(contains(again.err, R"("event":"unit")"), again.err.c_str());
        QCOMPARE(contentOf(part), content);
        QVERIFY(!runs.mergedBytes().empty());
    }

    void foreignPartsAreNamed() {
        const ClusterRuns runs = complete();
        const ClusterRuns other(
            folder("other"), {"sweep", words({"--ablation", "mean", "--heads", "1.1"}), ".json"});
        QVERIFY(other.makePlan().exit_code == 0 && other.run("").exit_code == 0);
        const fs::path foreign = other.partFiles().front();
        fs::copy(foreign, fs::path(runs.parts()) / foreign.filename());
        refused(runs.merge(), {foreign.filename().string(), "none of " + runs.plan()});
        QCOMPARE(runs.status()["foreign"].size(), 1u);
    }

    void aPartUnderAnothersNameIsRefused() {
        const ClusterRuns runs = complete();
        const std::vector<fs::path> files = runs.partFiles();
        fs::copy_file(files[0], files[1], fs::copy_options::overwrite_existing);
        refused(runs.merge(), {files[1].string(), "another unit"});
    }

    void anotherModelIsRefused() {
        const ClusterRuns runs = planned();
        const std::string other = runs.path("gpt2-mini-6l.h5"); // of the same name
        fs::copy_file(sampleModel("microgpt.h5"), other);
        refused(runCli({"sweep", "run", runs.plan(), "-o", runs.parts(), "--model", other}),
                {other, "SHA-256"}, 1);
        const std::string renamed = runs.path("renamed.h5");
        fs::copy_file(sampleModel("gpt2-mini-6l.h5"), renamed);
        refused(runCli({"sweep", "run", runs.plan(), "-o", runs.parts(), "--model", renamed}),
                {renamed, "is called renamed"}, 1);
    }

    void aChangedTextIsRefused() {
        const std::string set = folder("set") + ".txt";
        writeText(set, "the cat and the cat\na dog and a dog\n");
        const ClusterRuns runs(
            folder("text"), {"sweep",
                             {sampleModel("gpt2-mini-6l.h5"), "--prompts", set, "--heads", "4.1"},
                             ".json"});
        QVERIFY(runs.makePlan().exit_code == 0);
        QVERIFY(runs.run("").exit_code == 0);
        writeText(set, "the cat and the cat\na dog and a cow\n");
        refused(runs.merge(), {set, "is not the file"});
        runs.forgetParts();
        refused(runs.run(""), {set, "is not the file"}, 1);
    }

    void noResultTakesThePlaceOfWhatThePlanNames() {
        const std::string set = folder("set") + ".csv";
        const std::string text = "prompt\nthe cat and the cat\n";
        writeText(set, text);
        const ClusterRuns runs(
            folder("own"), {"sweep",
                            {sampleModel("gpt2-mini-6l.h5"), "--prompts", set, "--heads", "4.1"},
                            ".csv"});
        QVERIFY(runs.makePlan().exit_code == 0);
        QVERIFY(runs.run("").exit_code == 0);
        refused(runCli({"sweep", "merge", runs.plan(), runs.parts(), "-o", set}),
                {set, "it belongs to what this command reads"});
        QCOMPARE(contentOf(set), text);
        QVERIFY(!runs.mergedBytes().empty());
    }

    void plansOfOthersAreRefused_data() {
        QTest::addColumn<std::string>("what");
        QTest::addColumn<std::string>("by");
        QTest::addColumn<std::string>("named");
        const auto row = [](const char* name, const char* what, const char* by, const char* named) {
            QTest::newRow(name) << std::string(what) << std::string(by) << std::string(named);
        };
        row("another version", R"("app_version": ")", R"("app_version": "9)",
            "was made by version");
        row("another command", R"("command": "sweep")", R"("command": "heads")",
            "is a plan of heads");
        row("another question", R"("4.1,5.2,5.3")", R"("4.1,5.2,5.4")", "comes out another one");
        row("another unit", "prompt 0, layer 4", "prompt 0, layer 3", "comes out another one");
        row("an option that writes", R"("--heads")", R"("--output")", "cannot be read");
        row("a call for help", R"("--heads")", R"("--help")", "cannot be read");
        row("no plan", "headscope work plan", "headscope play plan", "is no plan");
    }
    void plansOfOthersAreRefused() {
        QFETCH(std::string, what);
        QFETCH(std::string, by);
        QFETCH(std::string, named);
        const ClusterRuns runs = planned();
        std::string plan = contentOf(runs.plan());
        QVERIFY(contains(plan, what));
        writeText(runs.plan(), plan.replace(plan.find(what), what.size(), by));
        refused(runs.run(""), {runs.plan(), named}, 1);
    }

    void questionsThatCannotBePlanned() {
        const std::string set = folder("set") + ".txt";
        writeText(set, "the cat and the cat\n" + std::string(9000, 'x') + "\n");
        const std::string plan = folder("p") + ".json";
        const std::string model = sampleModel("gpt2-mini-6l.h5");
        refused(runCli({"sweep", "plan", model, "--prompts", set, "-o", plan}), {"Line 2"}, 1);
        const auto usage = [](const CliResult& result, const char* named) {
            QVERIFY2(failedWithOneSentence(result, 2), result.err.c_str());
            QVERIFY2(contains(result.err, named), result.err.c_str());
        };
        usage(runCli({"sweep", "plan", model, "--text", "a b"}), "--output");
        usage(runCli({"sweep", "plan", model, "-o", plan}), "--prompts");
        usage(runCli({"sweep", "--ablation", "mean", "plan", model, "--text", "a b", "-o", plan}),
              "must follow it");
        usage(runCli({"heads", "plan", model, "-o", plan}), "--corpus");
        usage(runCli({"sweep", "run", model, "-o", plan, "--shard", "0/7"}), "0/7");
        usage(runCli({"sweep", "run", model, "-o", plan, "--shard", "8/7"}), "8/7");
        refused(runCli({"sweep", "run", model, "-o", plan}), {model}, 1);
        QVERIFY(!fs::exists(plan));
    }

    void sigtermEndsAfterTheUnit() {
        const ClusterRuns runs = manyUnits();
        const std::size_t units = runs.unitNames().size();
        QProcess task;
        task.setReadChannel(QProcess::StandardError);
        task.start(QStringLiteral(HEADSCOPE_CLI), runArguments(runs));
        QByteArray said;
        while (!said.contains("\"event\":\"unit\"") && task.waitForReadyRead(kWaitMs))
            said += task.readAllStandardError();
        QVERIFY(::kill(static_cast<pid_t>(task.processId()), SIGTERM) == 0);
        QVERIFY(task.waitForFinished(kWaitMs));
        QCOMPARE(task.exitStatus(), QProcess::NormalExit);
        QCOMPARE(task.exitCode(), kTryAgain);
        said += task.readAllStandardError();
        QVERIFY2(said.contains("\"event\":\"stopped\""), said.constData());
        const nlohmann::json status = runs.status();
        const auto done = status["done"].get<std::size_t>();
        QVERIFY(done >= 1 && done < units);
        QCOMPARE(status["damaged"].size(), 0u);
        QCOMPARE(runs.partFiles().size(), done); // and no half one
        QCOMPARE(runs.run("").exit_code, 0);
        QCOMPARE(runs.mergedBytes(), runs.plainBytes());
    }

    void tasksThatRaceGiveTheSame() {
        const ClusterRuns runs = manyUnits();
        QProcess one;
        QProcess other;
        one.start(QStringLiteral(HEADSCOPE_CLI), runArguments(runs));
        other.start(QStringLiteral(HEADSCOPE_CLI), runArguments(runs));
        QVERIFY(one.waitForFinished(kWaitMs) && other.waitForFinished(kWaitMs));
        QCOMPARE(one.exitCode(), 0);
        QCOMPARE(other.exitCode(), 0);
        QCOMPARE(runs.partFiles().size(), runs.unitNames().size());
        QCOMPARE(runs.mergedBytes(), runs.plainBytes());
    }

private:
    std::string folder(const std::string& name) {
        return folder_.path().toStdString() + "/" + name + std::to_string(++folders_);
    }
    static Arguments words(const Arguments& more) {
        return Arguments{sampleModel("gpt2-mini-6l.h5"), "--text", "the cat and the cat"} + more;
    }
    ClusterRuns planned() {
        const ClusterRuns runs(folder("runs"),
                               {"sweep", words({"--heads", "4.1,5.2,5.3"}), ".json"});
        runs.makePlan();
        return runs;
    }
    ClusterRuns complete() {
        const ClusterRuns runs = planned();
        runs.run("");
        return runs;
    }
    /// So that a signal comes long before the last.
    ClusterRuns manyUnits() {
        const std::string set = folder("set") + ".txt";
        std::string text;
        for (int i = 0; i < 10; ++i)
            text += "When Mary and John went to the store number " + std::to_string(i) +
                    ", John gave a drink to Mary and went home\n";
        writeText(set, text);
        const ClusterRuns runs(
            folder("many"), {"sweep", {sampleModel("gpt2-mini-6l.h5"), "--prompts", set}, ".json"});
        runs.makePlan();
        return runs;
    }
    static void refused(const CliResult& result, const std::vector<std::string>& named,
                        int after_lines = 0) {
        QCOMPARE(result.exit_code, 1);
        // A task says first, in a JSON line, that it begins.
        const std::string sentence = after_lines > 0 && result.err.starts_with("{")
                                         ? result.err.substr(result.err.find('\n') + 1)
                                         : result.err;
        QVERIFY2(sentence.starts_with("headscope-cli: "), sentence.c_str());
        QCOMPARE(std::ranges::count(sentence, '\n'), 1);
        for (const std::string& each : named)
            QVERIFY2(contains(sentence, each), sentence.c_str());
    }

    QTemporaryDir folder_;
    int folders_ = 0;
};

const headscope::test::TestRegistration<TestCliClusterFaults> registration;

} // namespace test_cli_cluster_faults

#include "test_cli_cluster_faults.moc"
