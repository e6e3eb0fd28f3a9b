#include "tests/cli/cli_process.h"
#include "tests/cli/cluster_runs.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <sstream>

namespace test_cli_cluster_tasks {

using namespace headscope::test;

/// What single tasks do, which are spread by whatever means.
class TestCliClusterTasks : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        prompts_ = folder_.path().toStdString() + "/prompts.txt";
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += "The cat sat on the mat, and dog " + std::to_string(i) + " did not.\n";
        writeText(prompts_, text);
    }

    void tasksOfSeveralCutsMix() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        for (const char* shard : {"3/7", "1/2", "64/64", "2/2"})
            QCOMPARE(runs.run(shard).exit_code, 0);
        QCOMPARE(runs.mergedBytes(), runs.plainBytes());
    }

    void theSameQuestionMakesTheSamePlan() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const std::string plan = contentOf(runs.plan());
        const std::string model = sampleModel("gpt2-mini-6l.h5");
        const std::string again = runs.path("again.json");
        const CliResult other = runCli(
            {"sweep", "plan", "--heads=2.1,4.1,5.0", "-o", again, "--prompts", prompts_, model});
        QVERIFY2(other.exit_code == 0, other.err.c_str());
        QCOMPARE(contentOf(again), plan);
        QCOMPARE(runs.unitNames().front(), std::string("prompt 0, layer 2"));
    }

    void aPartThatIsThereIsNotComputedAgain() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        QVERIFY(contains(runs.run("1/3").err, R"("event":"unit")"));
        const CliResult again = runs.run("1/3");
        QCOMPARE(again.exit_code, 0);
        QVERIFY2(!contains(again.err, R"("event":"unit")"), again.err.c_str());
    }

    void progressIsJsonLines() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const CliResult run = runs.run("2/3");
        QVERIFY(run.out.empty());
        std::vector<std::string> events;
        std::istringstream lines(run.err);
        for (std::string line; std::getline(lines, line);)
            events.push_back(nlohmann::json::parse(line)["event"].get<std::string>());
        QVERIFY(events.size() > 3);
        QCOMPARE(events.front(), std::string("begin"));
        QCOMPARE(events[1], std::string("unit"));
        QCOMPARE(events.back(), std::string("end"));
    }

    void statusSaysWhatIsThere() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        QVERIFY(runs.run("1/2").exit_code == 0);
        const nlohmann::json half = runs.status();
        const std::size_t units = runs.unitNames().size();
        QCOMPARE(half["units"].get<std::size_t>(), units);
        QCOMPARE(half["done"].get<std::size_t>() + half["missing"].size(), units);
        QVERIFY(half["missing"].back() == runs.unitNames().back());
        QVERIFY(runs.run("").exit_code == 0);
        const CliResult text = runCli({"sweep", "status", runs.plan(), runs.parts()});
        QCOMPARE(text.out,
                 std::to_string(units) + " of " + std::to_string(units) + " units done\n");
    }

    void arraysOfSlurmAreShards_data() {
        QTest::addColumn<std::string>("variables");
        QTest::addColumn<std::string>("shard");
        const auto row = [](const char* name, const char* id, const char* min, const char* max,
                            const char* count, const char* shard) {
            QTest::newRow(name) << std::string("SLURM_ARRAY_TASK_ID=") + id +
                                       " SLURM_ARRAY_TASK_MIN=" + min +
                                       " SLURM_ARRAY_TASK_MAX=" + max +
                                       " SLURM_ARRAY_TASK_COUNT=" + count
                                << std::string(shard);
        };
        row("from 0", "0", "0", "2", "3", "1/3");
        row("from 1", "3", "1", "3", "3", "3/3");
        row("by twos", "14", "10", "14", "3", "3/3");
        row("alone", "5", "5", "5", "1", "1/1");
        row("with gaps", "2", "1", "7", "3", "");
        row("between the steps", "11", "10", "14", "3", "");
        row("no number", "x", "0", "2", "3", "");
    }
    void arraysOfSlurmAreShards() {
        QFETCH(std::string, variables);
        QFETCH(std::string, shard);
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const CliResult array = runShell(variables + R"( exec "$0" sweep run "$1" -o "$2")",
                                         {runs.plan(), runs.parts()});
        if (shard.empty()) {
            QVERIFY2(failedWithOneSentence(array, 1), array.err.c_str());
            QVERIFY2(contains(array.err, "--array=0-6"), array.err.c_str());
            return;
        }
        QVERIFY2(array.exit_code == 0, array.err.c_str());
        const std::vector<std::filesystem::path> by_array = runs.partFiles();
        runs.forgetParts();
        QVERIFY(runs.run(shard).exit_code == 0);
        QVERIFY(runs.partFiles() == by_array);
    }

    void threadsAreThoseThatSlurmGives() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const CliResult run = runShell("unset OPENBLAS_NUM_THREADS; SLURM_CPUS_PER_TASK=1 "
                                       R"(exec "$0" sweep run "$1" -o "$2" --shard 64/64)",
                                       {runs.plan(), runs.parts()});
        QVERIFY2(contains(run.err, " 1 thread;"), run.err.c_str());
    }

    void theModelMayLieElsewhere() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const std::string there = runs.path("gpt2-mini-6l.h5");
        std::filesystem::copy_file(sampleModel("gpt2-mini-6l.h5"), there);
        std::string plan = contentOf(runs.plan());
        const std::string place = sampleModel("gpt2-mini-6l.h5");
        plan.replace(plan.find(place), place.size(), "/nowhere/gpt2-mini-6l.h5");
        writeText(runs.plan(), plan);
        QCOMPARE(runs.run("").exit_code, 1);
        for (const Arguments& command :
             {Arguments{"sweep", "run", runs.plan(), "-o", runs.parts(), "--model", there},
              Arguments{"sweep", "merge", runs.plan(), runs.parts(), "-o", runs.path("merged.json"),
                        "--model", there}}) {
            const CliResult result = runCli(command);
            QVERIFY2(result.exit_code == 0, result.err.c_str());
        }
        QCOMPARE(contentOf(runs.path("merged.json")), runs.plainBytes());
    }

    /// On other kernels only rounding differs; merging them says so, in the result as well, and
    /// refuses it when it is strict.
    void otherKernelsDifferByRounding() {
        const ClusterRuns runs = shortSweep();
        QVERIFY(runs.makePlan().exit_code == 0);
        const nlohmann::json plain = nlohmann::json::parse(runs.plainBytes());
        const CliResult other = runShell("OPENBLAS_CORETYPE=Prescott "
                                         R"(exec "$0" sweep run "$1" -o "$2" --shard 1/2)",
                                         {runs.plan(), runs.parts()});
        QVERIFY2(other.exit_code == 0, other.err.c_str());
        const CliResult own = runs.run("2/2");
        QVERIFY(own.exit_code == 0);
        if (!contains(other.err, "Prescott") || contains(own.err, "Prescott"))
            QSKIP("OpenBLAS has no other kernels for this machine.");
        const CliResult merged = runs.merge();
        QVERIFY2(contains(merged.err, "machines of 2 kinds"), merged.err.c_str());
        const Arguments strict{"sweep",      "merge", runs.plan(),
                               runs.parts(), "-o",    runs.path("strict.json"),
                               "--strict"};
        const CliResult refused = runCli(strict);
        QVERIFY2(failedWithOneSentence(refused, 1), refused.err.c_str());
        QVERIFY2(contains(refused.err, "Prescott"), refused.err.c_str());
        QVERIFY(!std::filesystem::exists(runs.path("strict.json")));
        const nlohmann::json mixed = nlohmann::json::parse(contentOf(runs.path("merged.json")));
        for (std::size_t unit = 0; unit < plain["units"].size(); ++unit)
            QVERIFY(std::abs(plain["units"][unit]["value"].get<double>() -
                             mixed["units"][unit]["value"].get<double>()) < 1e-4);
        QVERIFY(contains(mixed["machines"].get<std::string>(), "Prescott"));
        QVERIFY(contains(mixed["provenance"]["note"].get<std::string>(), "Prescott"));
        QVERIFY(!plain.contains("machines"));
        // Parts of one kind are strictly the whole.
        runs.forgetParts();
        QVERIFY(runs.run("").exit_code == 0);
        QCOMPARE(runCli(strict).exit_code, 0);
        QCOMPARE(contentOf(runs.path("strict.json")), runs.plainBytes());
    }

private:
    ClusterRuns shortSweep() {
        return {folder_.path().toStdString() + "/" + std::to_string(++folders_),
                {"sweep",
                 {sampleModel("gpt2-mini-6l.h5"), "--prompts", prompts_, "--heads", "2.1,4.1,5.0"},
                 ".json"}};
    }

    QTemporaryDir folder_;
    int folders_ = 0;
    std::string prompts_;
};

const headscope::test::TestRegistration<TestCliClusterTasks> registration;

} // namespace test_cli_cluster_tasks

#include "test_cli_cluster_tasks.moc"
