#include "tests/cli/cli_process.h"
#include "tests/cli/cluster_runs.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstddef>
#include <string>
#include <vector>

namespace test_cli_cluster {

using namespace headscope::test;

/// What any number of tasks give together is what the command gives by itself, to the byte.
class TestCliCluster : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        qputenv("SOURCE_DATE_EPOCH", "1700000000"); // a report says when it was made
        for (int i = 0; i < 12; ++i)
            short_set_ += "The cat sat on the mat, and dog " + std::to_string(i) + " did not.\n";
        for (char c = 'a'; c < 'a' + 16; ++c)
            for (const char* name : {"anna", "emma", "mia", "olivia"})
                long_set_ += std::string(name) + c + "\n";
        for (int i = 0; i < 300; ++i)
            corpus_ += "The " + std::to_string(i) + "th cat sat on the mat near a dog. ";
    }

    void anyNumberOfTasksGivesTheSameBytes_data() {
        QTest::addColumn<std::string>("command");
        QTest::addColumn<Arguments>("words");
        QTest::addColumn<std::string>("extension");
        const std::string attention = sampleModel("attn-only-2l.h5");
        const std::string micro = sampleModel("microgpt.h5");
        const auto row = [](const char* name, const std::string& command, const Arguments& words,
                            const std::string& extension) {
            QTest::newRow(name) << command << words << extension;
        };
        row("sweep", "sweep",
            {attention, "--text", "When Mary and John went to the store, John gave a drink to",
             "--metric", "logit-diff", "--tokens", " Mary", " John"},
            ".h5");
        row("sweep over a file", "sweep",
            {attention, "--prompts", "SHORT", "--ablation", "mean", "--heads", "0.7,1.3,1.4"},
            ".json");
        row("sweep over a long file", "sweep", {micro, "--prompts", "LONG", "--metric", "kl"},
            ".csv");
        row("sweep by gradient", "sweep", {micro, "--prompts", "LONG", "--method", "gradient"},
            ".json");
        row("heads", "heads",
            {attention, "--corpus", "CORPUS", "--length", "64", "--types",
             "previous,induction,copying"},
            ".json");
        row("prune", "prune",
            {attention, "--domains", "own,stories", "--orders", "random:2,gradient", "--points",
             "3", "--length", "32", "--calibrate-tokens", "256", "--test-tokens", "256", "--tasks",
             "none", "--compensate", "bias"},
            ".json");
        row("verify", "verify", {micro}, ".json");
        row("verify without a model", "verify", {}, ".json");
    }
    void anyNumberOfTasksGivesTheSameBytes() {
        QFETCH(std::string, command);
        QFETCH(Arguments, words);
        QFETCH(std::string, extension);
        const ClusterRuns runs(folder(), {command, withFiles(words), extension});
        const std::string plain = runs.plainBytes();
        QVERIFY(!plain.empty());
        const CliResult planned = runs.makePlan();
        QVERIFY2(planned.exit_code == 0, planned.err.c_str());
        // Starting 64 programs is quick with a model of 4,000 parameters, but not under the
        // sanitizers.
        const bool is_quick = !words.empty() && words.front() == sampleModel("microgpt.h5");
        const std::vector<std::size_t> quick_counts = {1, 2, 7, 64};
        for (const std::size_t count :
             is_quick && !isSanitized() ? quick_counts : std::vector<std::size_t>{2, 7}) {
            runs.forgetParts();
            QVERIFY(runs.runAll(count));
            const CliResult merged = runs.merge();
            QVERIFY2(merged.exit_code == 0, merged.err.c_str());
            QVERIFY2(runs.mergedBytes() == plain, std::to_string(count).c_str());
        }
    }

private:
    std::string folder() { return folder_.path().toStdString() + "/" + std::to_string(++folders_); }
    std::string setFile(const std::string& name, const std::string& text) {
        const std::string path = folder_.path().toStdString() + "/" + name + ".txt";
        if (!std::filesystem::exists(path))
            writeText(path, text);
        return path;
    }
    Arguments withFiles(Arguments words) {
        for (std::string& word : words) {
            if (word == "SHORT")
                word = setFile("short", short_set_);
            else if (word == "LONG")
                word = setFile("long", long_set_);
            else if (word == "CORPUS")
                word = setFile("corpus", corpus_);
        }
        return words;
    }
    QTemporaryDir folder_;
    int folders_ = 0;
    std::string short_set_;
    std::string long_set_;
    std::string corpus_;
};

const headscope::test::TestRegistration<TestCliCluster> registration;

} // namespace test_cli_cluster

#include "test_cli_cluster.moc"
