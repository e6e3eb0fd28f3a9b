#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace test_cli_examples {

using namespace headscope::test;

class TestCliExamples : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        model_ = sampleModel("gpt2-mini-6l.h5");
        corpus_ = path("corpus.txt");
        std::ofstream file(corpus_);
        for (int i = 0; i < 40; ++i)
            file << "Mary and John went to the store " << i << " times. Mary and John laughed.\n";
    }

    void jsonHoldsEveryHead() {
        const auto json =
            runCli({"examples", model_, "--corpus", corpus_, "--length", "32", "--json"}).json();
        QCOMPARE(json["heads"].size(), 48u);
        const auto& first = json["examples"][0];
        QVERIFY(first["head"] == (nlohmann::json{{"layer", 0}, {"head", 0}}));
        QCOMPARE(first["interval"].get<int>(), 10);
        QVERIFY(first["keys"][0]["weight"].get<double>() >= first["weight"].get<double>() - 1e-6);
        std::size_t counted = 0;
        for (const auto& count : json["heads"][0]["histogram"])
            counted += count.get<std::size_t>();
        QVERIFY(json["input"].get<std::string>().find(std::to_string(counted) + " sequences") !=
                std::string::npos);
    }

    // 4.1 is an induction head: with the names a second time it looks behind the first.
    void effectsAreMeasured() {
        const auto json =
            runCli({"examples", model_, "--corpus", corpus_, "--length", "32", "--heads", "4.1",
                    "--show", "strongest", "--count", "3", "--effect", "zero", "--json"})
                .json();
        QCOMPARE(json["examples"].size(), 3u);
        double last = 2.0;
        for (const auto& example : json["examples"]) {
            QVERIFY(example["weight"].get<double>() <= last);
            last = example["weight"].get<double>();
            QVERIFY(std::abs(example["loss_ablated"].get<double>() - example["loss"].get<double>() -
                             example["change"].get<double>()) < 1e-9);
        }
    }

    void peopleReadALineForEachHead() {
        const CliResult result = runCli({"examples", model_, "--corpus", corpus_});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "on corpus.txt, "), result.out.c_str());
        QCOMPARE(std::count(result.out.begin(), result.out.end(), '\n') >= 50, true);
    }

    // The disk is full in the middle of the text.
    void anEndedRunGoesOn() {
        const std::string whole = path("whole.json");
        const std::string resumed = path("resumed.json");
        const Arguments start{"examples", model_, "--corpus", corpus_, "--length", "16", "-o"};
        QCOMPARE(runCli(start + Arguments{whole}).exit_code, 0);
        QVERIFY(!std::filesystem::exists(whole + ".parts"));
        const CliResult ended =
            runShell("ulimit -f 64; exec \"$0\" \"$@\"", start + Arguments{resumed});
        QVERIFY(ended.exit_code != 0);
        QVERIFY2(contains(ended.err, "resumed.json.parts"), ended.err.c_str());
        QVERIFY(!std::filesystem::exists(resumed));
        QVERIFY(std::filesystem::file_size(resumed + ".parts") > 10'000);
        const CliResult result = runCli(start + Arguments{resumed, "--resume"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(!std::filesystem::exists(resumed + ".parts"));
        QCOMPARE(contentOf(resumed), contentOf(whole));
    }

    void unknownTokensAreCounted() {
        const CliResult result = runCli({"examples", sampleModel("induction-circuit.h5"),
                                         "--corpus", corpus_, "--heads", "1.0"});
        QVERIFY2(contains(result.out, " are unknown to the tokenizer"), result.out.c_str());
        QVERIFY(!contains(runCli({"examples", model_, "--corpus", corpus_}).out, "unknown"));
    }

    void mistakesAreSaid() {
        QVERIFY(runCli({"examples", model_, "--show", "best"}).exit_code != 0);
        const CliResult resume = runCli({"examples", model_, "--resume"});
        QVERIFY(resume.exit_code != 0);
        QVERIFY2(contains(resume.err, "-o FILE"), resume.err.c_str());
        const CliResult effect =
            runCli({"examples", sampleModel("bert-mini-4l.h5"), "--effect", "zero"});
        QVERIFY(effect.exit_code != 0);
        QVERIFY2(contains(effect.err, "predicts no next token"), effect.err.c_str());
        const CliResult head = runCli({"examples", model_, "--heads", "9.9"});
        QVERIFY(head.exit_code != 0);
        QVERIFY2(contains(head.err, "9.9"), head.err.c_str());
    }

private:
    std::string path(const char* name) const {
        return folder_.filePath(QString::fromLatin1(name)).toStdString();
    }
    static std::string contentOf(const std::string& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    QTemporaryDir folder_;
    std::string model_;
    std::string corpus_;
};

const headscope::test::TestRegistration<TestCliExamples> registration;

} // namespace test_cli_examples

#include "test_cli_examples.moc"
