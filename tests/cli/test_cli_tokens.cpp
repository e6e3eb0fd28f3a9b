#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_cli_tokens {

using namespace headscope::test;

namespace {

const Arguments metric{"--metric", "logit-diff", "--tokens", " Mary", " John"};

CliResult tokens(const Arguments& more) {
    return runCli(Arguments{"tokens", sampleModel("gpt2-mini-6l.h5"), "--text",
                            "When Mary and John went to the store, John gave a drink to"} +
                  more);
}

bool near(const nlohmann::json& found, double expected) {
    return std::abs(found.get<double>() - expected) < 1e-3;
}

} // namespace

class TestCliTokens : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryToken() {
        const CliResult result = tokens(metric + Arguments{"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(near(json["value"], 7.802748));
        QCOMPARE(json["tokens"].size(), 15u);
        QVERIFY(json["tokens"][2]["token"] == " Mary");
        QVERIFY(near(json["tokens"][2]["hide"], -9.0400));
        QVERIFY(near(json["tokens"][2]["replace"], -6.8236));
        QVERIFY(near(json["tokens"][2]["gradient"], -6.5100));
        QCOMPARE(json["correlations"].size(), 6u);
        QVERIFY(json["correlations"][0]["a"] == "hide" &&
                json["correlations"][0]["b"] == "replace");
        QVERIFY(json["baseline"] == "mean embedding");
        QVERIFY(json["baseline_token"].is_null());
        QVERIFY(json["metric"]["kind"] == "logit-diff");
        QVERIFY(json["attention"].is_null());
        QVERIFY(json["note"].is_null());
        QCOMPARE(json["steps"].get<int>(), 64);
        QCOMPARE(json["seen"].get<int>(), 15);
        double sum = 0.0;
        for (const nlohmann::json& token : json["tokens"])
            sum += token["integrated"].get<double>();
        const double change = json["without_all"].get<double>() - json["value"].get<double>();
        QVERIFY(near(json["gap"], sum - change));
        QVERIFY(json["provenance"]["model_name"] == "gpt2-mini-6l");
    }

    void csvHasARowPerToken() {
        const CliResult result = tokens(
            metric + Arguments{"--methods", "replace,gradient", "--replace", " the", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("position,token,replace,gradient,value,reading,baseline,"
                                       "baseline_token,seen,steps,without_all,gap,prompt,"
                                       "correlation_replace_gradient,model,"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 15);
        const nlohmann::json json =
            tokens(metric + Arguments{"--replace", " the", "--json"}).json();
        QVERIFY(near(json["tokens"][7]["replace"], 0.0)); // by itself
        QVERIFY(json["tokens"][7]["gradient"] == 0.0);
        QVERIFY(near(json["tokens"][1]["replace"], -7.7070));
        QVERIFY(contains(result.out, ",logit-diff, the,261,15,,,,"));
    }

    void attentionWeights() {
        const CliResult result = tokens({"--weight", "4.1:14:2"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        for (const char* part :
             {"attention weight of 4.1 from 14 ·to to 2 ·Mary 0.8046", "mean embedding\n",
              "\n2 ·Mary          -0.8046", "Rank correlation (Spearman) over the 15 tokens"})
            QVERIFY2(contains(result.out, part), part);
        const nlohmann::json json =
            tokens({"--score", "4.1:13:2", "--methods", "hide", "--json"}).json();
        QVERIFY(json["attention"]["of"] == "score");
        QCOMPARE(json["attention"]["query"].get<int>(), 13);
        QCOMPARE(json["seen"].get<int>(), 14);
        QVERIFY(json["correlations"].empty());
    }

    void oneMethodHasNoCorrelation() {
        const CliResult result = tokens({"--methods", "hide"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(!contains(result.out, "Rank correlation"));
        QVERIFY(!contains(result.out, "Integrated"));
    }

    void encodersAreMasked() {
        const CliResult result =
            runCli({"tokens", sampleModel("bert-mini-4l.h5"), "--text", "the cat [MASK] on the mat",
                    "--metric", "probability", "--target", "in", "--steps", "4"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(contains(result.out, "replaced by the token [MASK]"));
        const CliResult mean = runCli({"tokens", fixture("gemma2.h5"), "--ids", "5,17,3", "--bos",
                                       "no", "--replace", "9", "--steps", "2", "--json"});
        QCOMPARE(mean.json()["baseline_token"].get<int>(), 9);
        QVERIFY(mean.json()["baseline"] == "⟨9⟩");
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/tokens.csv";
        const Arguments few{"--methods", "hide,replace", "--replace-mean"};
        const CliResult result = tokens(few + Arguments{"-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(readFile(path), tokens(few + Arguments{"--csv"}).out);
    }

    void failures_data() {
        QTest::addColumn<Arguments>("more");
        QTest::addColumn<std::string>("named");
        const auto row = [](const char* name, const Arguments& more, const std::string& named) {
            QTest::newRow(name) << more << named;
        };
        row("no weight", {"--weight", "4.1:14"}, "such as 4.1:14:2");
        row("no number", {"--weight", "4.1:a:2"}, "such as 4.1:14:2");
        row("no head", {"--weight", "9.1:14:2"}, "9.1");
        row("hidden", {"--weight", "4.1:2:14"}, "its mask hides that key");
        row("no position", {"--score", "4.1:15:2"}, "position 15");
        row("two tokens", {"--replace", "Maryland"}, "2 tokens, not one");
    }
    void failures() {
        QFETCH(Arguments, more);
        QFETCH(std::string, named);
        const CliResult result = tokens(more);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    void wrongUsage_data() {
        QTest::addColumn<Arguments>("more");
        QTest::addColumn<std::string>("named");
        const auto row = [](const char* name, const Arguments& more, const std::string& named) {
            QTest::newRow(name) << more << named;
        };
        row("weight and metric", Arguments{"--weight", "4.1:1:1"} + metric, "--weight and --score");
        row("weight and position", {"--weight", "4.1:1:1", "--position", "3"},
            "--weight and --score");
        row("weight and score", {"--weight", "4.1:1:1", "--score", "4.1:1:1"}, "Only one of");
        row("two baselines", {"--replace", "a", "--replace-mean"}, "Only one of");
        row("slope of KL", {"--metric", "kl", "--methods", "gradient"}, "whose slope is 0");
        row("no method", {"--methods", "guess"}, "guess");
        row("no steps", {"--steps", "0"}, "--steps");
        row("two formats", {"--csv", "--json"}, "--csv and --json");
    }
    void wrongUsage() {
        QFETCH(Arguments, more);
        QFETCH(std::string, named);
        const CliResult result = tokens(more);
        QVERIFY2(failedWithOneSentence(result, 2), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliTokens> registration;

} // namespace test_cli_tokens

#include "test_cli_tokens.moc"
