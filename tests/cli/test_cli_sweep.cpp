#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace test_cli_sweep {

using namespace headscope::test;

namespace {

const std::string story = "When Mary and John went to the store, John gave a drink to";
const std::string other = "When Mary and John went to the store, Mary gave a drink to";

CliResult sweep(const Arguments& more) {
    return runCli(Arguments{"sweep", sampleModel("gpt2-mini-6l.h5"), "--text", story} + more);
}

CliResult names(const Arguments& more) {
    return sweep(Arguments{"--metric", "logit-diff", "--tokens", " Mary", " John"} + more);
}

double lossWithout(const std::string& heads, const std::string& kind) {
    const CliResult run = runCli({"run", sampleModel("gpt2-mini-6l.h5"), "--text", story,
                                  "--ablate", heads, "--ablation", kind, "--json"});
    return run.json()["loss"].get<double>();
}

} // namespace

class TestCliSweep : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryHead() {
        const CliResult result = names({"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["units"].size(), 48u);
        QVERIFY(json["ablation"] == "zero");
        QVERIFY(json["metric"]["kind"] == "logit-diff");
        QVERIFY(json["provenance"]["model_name"] == "gpt2-mini-6l");
        const nlohmann::json head = {{{"head", 1}, {"layer", 4}}};
        QVERIFY(json["units"][33]["heads"] == head);
        // The head that names Mary.
        const double full = json["full"].get<double>();
        const double without = json["units"][33]["value"].get<double>();
        QVERIFY(without < 0.0 && full > 5.0);
        QVERIFY(std::abs(json["units"][33]["difference"].get<double>() - (without - full)) < 1e-9);
    }

    void lossIsThatOfARunWithoutTheHead_data() {
        QTest::addColumn<std::string>("kind");
        QTest::newRow("zero") << std::string("zero");
        QTest::newRow("mean") << std::string("mean");
    }
    void lossIsThatOfARunWithoutTheHead() {
        QFETCH(std::string, kind);
        const CliResult result = sweep({"--ablation", kind, "--heads", "4.1,2.1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["units"].size(), 2u);
        QVERIFY(std::abs(json["units"][0]["value"].get<double>() - lossWithout("2.1", kind)) <
                1e-5);
        QVERIFY(std::abs(json["units"][1]["value"].get<double>() - lossWithout("4.1", kind)) <
                1e-5);
    }

    void gradientEstimatesTheSame() {
        const CliResult estimated = names({"--method", "gradient", "--json"});
        QVERIFY2(estimated.exit_code == 0, estimated.err.c_str());
        const nlohmann::json json = estimated.json();
        QVERIFY(json["method"] == "gradient");
        const nlohmann::json exact = names({"--json"}).json();
        QVERIFY(exact["method"] == "exact");
        QVERIFY(std::abs(json["full"].get<double>() - exact["full"].get<double>()) < 1e-4);
        QCOMPARE(json["units"].size(), exact["units"].size());
        const CliResult refused = names({"--method", "gradient", "--ablation", "mean"});
        QCOMPARE(refused.exit_code, 2);
        QVERIFY(contains(refused.err, "--method gradient estimates --ablation zero only."));
    }

    void otherPromptsStandIn() {
        const CliResult resampled =
            names({"--ablation", "resample", "--with", other, "--heads", "4.1", "--json"});
        QVERIFY2(resampled.exit_code == 0, resampled.err.c_str());
        QVERIFY(resampled.json()["ablation"] == "resample");
        QCOMPARE(resampled.json()["references"].size(), 1u);
        const CliResult mean = names(
            {"--ablation", "mean", "--with", other, "--with", "a dog", "--heads", "4.1", "--json"});
        QVERIFY2(mean.exit_code == 0, mean.err.c_str());
        QVERIFY(mean.json()["ablation"] == "text-mean");
        QCOMPARE(mean.json()["references"].size(), 2u);
        const CliResult frozen =
            names({"--ablation", "pattern-preserving", "--heads", "2.1", "--json"});
        QVERIFY2(frozen.exit_code == 0, frozen.err.c_str());
        QVERIFY(frozen.json()["ablation"] == "pattern-preserving");
        const double full_ablation =
            names({"--heads", "2.1", "--json"}).json()["units"][0]["value"].get<double>();
        QVERIFY(std::abs(frozen.json()["units"][0]["value"].get<double>() - full_ablation) > 0.1);
    }

    void groupsAreAblatedTogether() {
        const CliResult result = runCli({"sweep", sampleModel("llama-mini-gqa-4l.h5"), "--text",
                                         "the cat and the cat", "--heads", "kv-groups", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("heads,value,difference,full,metric,ablation,method,"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 4 * 2);
        QVERIFY(contains(result.out, "\n3.4 3.5 3.6 3.7,"));
    }

    void idsAreTokensToo() {
        const CliResult result =
            runCli({"sweep", fixture("gpt2.h5"), "--ids", "5,17,3,42", "--metric", "probability",
                    "--target", "31", "--position", "1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["metric"]["token"] == 31);
        QVERIFY(result.json()["metric"]["position"] == 1);
    }

    void encodersPredictTheirMask() {
        const CliResult result = runCli({"sweep", sampleModel("bert-mini-4l.h5"), "--text",
                                         "the [MASK] sat down", "--target", "the", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(result.json()["metric"]["targets"].size(), 1u);
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/sweep.json";
        const CliResult result = sweep({"--heads", "4.1", "-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(readFile(path), sweep({"--heads", "4.1", "--json"}).out);
    }

    void tableNamesHeadsAndMetric() {
        const CliResult result = names({"--heads", "4.1"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        for (const char* word : {"gpt2-mini-6l", "logit-diff", "zero", "4.1", "difference"})
            QVERIFY2(contains(result.out, word), word);
    }

    void failures_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        QTest::newRow("no such head") << Arguments{"--heads", "9.9"} << std::string("9.9");
        QTest::newRow("two tokens") << Arguments{"--metric", "probability", "--target", "Maryland"}
                                    << std::string("\"Maryland\" is 2 tokens, not one");
        QTest::newRow("other length") << Arguments{"--ablation", "resample", "--with", "a dog"}
                                      << std::string("give two of the same length");
        QTest::newRow("no such position")
            << Arguments{"--metric", "kl", "--position", "99"} << std::string("no position 99");
        QTest::newRow("no such folder")
            << Arguments{"-o", "/nowhere/a.csv"} << std::string("/nowhere");
    }
    void failures() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = sweep(arguments);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliSweep> registration;

} // namespace test_cli_sweep

#include "test_cli_sweep.moc"
