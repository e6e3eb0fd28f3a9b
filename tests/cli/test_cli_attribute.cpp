#include "tests/cli/cli_process.h"
#include "tests/support/npz_reader.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_cli_attribute {

using namespace headscope::test;

namespace {

CliResult names(const Arguments& more) {
    return runCli(Arguments{"attribute", sampleModel("gpt2-mini-6l.h5"), "--text",
                            "When Mary and John went to the store, John gave a drink to", "--token",
                            " Mary", "--against", " John"} +
                  more);
}

bool near(const nlohmann::json& found, double expected) {
    return std::abs(found.get<double>() - expected) < 1e-4;
}

} // namespace

class TestCliAttribute : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryPart() {
        const CliResult result = names({"--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(near(json["logit"], 7.802748));
        QCOMPARE(json["position"].get<int>(), 14);
        QCOMPARE(json["token"].get<int>(), 658);
        QCOMPARE(json["against"].get<int>(), 596);
        QCOMPARE(json["parts"].size(), 2u + 48u + 6u + 6u + 1u);
        QVERIFY(json["provenance"]["model_name"] == "gpt2-mini-6l");
        double sum = 0.0;
        for (const nlohmann::json& part : json["parts"]) {
            sum += part["value"].get<double>();
            QCOMPARE(part["head"].is_null(), part["part"] != "head");
            QCOMPARE(part["sources"].is_null(), part["part"] != "head");
            if (part["layer"] == 4 && part["head"] == 1) {
                QVERIFY(near(part["value"], 7.691463));
                QCOMPARE(part["sources"].size(), 15u);
                QVERIFY(near(part["sources"][2], 7.552251));
            }
        }
        QVERIFY(near(json["logit"], sum));
    }

    void csvHasARowPerPart() {
        const CliResult result = names({"--csv", "--position", "3"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("part,layer,head,value,logit,token,against,position,prompt,"
                                       "model,model_sha256,app_version\nembedding,,,"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 63);
        QVERIFY(contains(result.out, "\nmlp,5,,"));
        QVERIFY(contains(result.out, "\nhead,4,1,"));
        QVERIFY(contains(result.out, ",658,596,3,"));
    }

    void largestPartsComeFirst() {
        const CliResult result = names({});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY2(contains(result.out, "logit of ·Mary − ·John at 14 ·to: 7.80"),
                 result.out.c_str());
        const auto name_mover = result.out.find("head 4.1  ");
        QVERIFY(name_mover < result.out.find("head 4.5  "));
        // The last digit depends on the processor's kernels.
        const std::string mary = "2 ·Mary ";
        const auto found = result.out.find(mary);
        QVERIFY(found != std::string::npos);
        QVERIFY(std::abs(std::stod(result.out.substr(found + mary.size())) - 7.5523) < 1e-3);
    }

    void backupHeadsRise() {
        const CliResult result = names({"--backup-of", "4.1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(near(json["full_logit"], 7.802748));
        QVERIFY(near(json["ablated_logit"], -1.042294));
        QVERIFY(json["without"] == "4.1");
        QVERIFY(json["ablation"] == "zero");
        QVERIFY(json["provenance"]["ablation"] == "zero: 4.1");
        QCOMPARE(json["heads"].size(), 48u);
        QVERIFY(near(json["heads"][47]["rise"], 0.359574));
        const CliResult csv = names({"--backup-of", "4.1,4.2", "--ablation", "mean", "--csv"});
        QVERIFY(csv.out.starts_with("layer,head,full,ablated,rise,full_logit,ablated_logit,"));
        QVERIFY(contains(csv.out, ",4.1 4.2,mean,"));
        QCOMPARE(std::ranges::count(csv.out, '\n'), 1 + 48);
        const CliResult table = names({"--backup-of", "4.1"});
        QVERIFY2(contains(table.out, "with 4.1 ablated (zero) -1.0423"), table.out.c_str());
        QVERIFY(!contains(table.out, "\n4.2 "));
        QVERIFY(table.out.find("\n5.7 ") < table.out.find("\n5.4 "));
    }

    void fileHoldsWhatWouldBePrinted() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString() + "/parts.csv";
        const CliResult result = names({"-o", path});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(readFile(path), names({"--csv"}).out);
    }

    void idsNeedNoTokenizer() {
        const CliResult result = runCli({"attribute", fixture("gemma2.h5"), "--ids", "5,17,3",
                                         "--bos", "no", "--token", "31", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["against"].is_null());
        QCOMPARE(result.json()["position"].get<int>(), 2);
    }

    void failures_data() {
        QTest::addColumn<Arguments>("arguments");
        QTest::addColumn<std::string>("named");
        const Arguments gpt2{"attribute", sampleModel("gpt2-mini-6l.h5"), "--text", "a"};
        QTest::newRow("two tokens")
            << gpt2 + Arguments{"--token", "Maryland"} << std::string("2 tokens, not one");
        QTest::newRow("no such position")
            << gpt2 + Arguments{"--token", "a", "--position", "9"} << std::string("position 9");
        QTest::newRow("no such head")
            << gpt2 + Arguments{"--token", "a", "--backup-of", "9.9"} << std::string("9.9");
        QTest::newRow("masked-LM head") << Arguments{"attribute", sampleModel("bert-mini-4l.h5"),
                                                     "--text",    "the [MASK] sat",
                                                     "--token",   "the"}
                                        << std::string("not linear");
        QTest::newRow("no unembedding")
            << Arguments{"attribute", sampleModel("notebook.h5"), "--ids", "1", "--token", "1"}
            << std::string("no unembedding");
    }
    void failures() {
        QFETCH(Arguments, arguments);
        QFETCH(std::string, named);
        const CliResult result = runCli(arguments);
        QVERIFY2(failedWithOneSentence(result, 1), result.err.c_str());
        QVERIFY2(contains(result.err, named), result.err.c_str());
    }

    /// The run with an ablated head is read by itself: an ablated head writes nothing.
    void ablatedHeadsAreAblatedWhileItIsRead() {
        const CliResult result = names({"--ablate", "4.1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QVERIFY(
            near(json["logit"], names({"--backup-of", "4.1", "--json"}).json()["ablated_logit"]));
        for (const nlohmann::json& part : json["parts"])
            if (part["layer"] == 4 && part["head"] == 1)
                QVERIFY(near(part["value"], 0.0));
        QVERIFY(json["provenance"]["ablation"] == "zero: 4.1");
        const CliResult both = names({"--ablate", "4.1", "--backup-of", "4.1"});
        QVERIFY2(failedWithOneSentence(both, 2), both.err.c_str());
    }

    void wrongUsage() {
        const std::string model = sampleModel("microgpt.h5");
        const CliResult no_token = runCli({"attribute", model, "--text", "a"});
        QVERIFY2(failedWithOneSentence(no_token, 2), no_token.err.c_str());
        QVERIFY(contains(no_token.err, "--token"));
        const CliResult two = names({"--csv", "--json"});
        QVERIFY2(failedWithOneSentence(two, 2), two.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliAttribute> registration;

} // namespace test_cli_attribute

#include "test_cli_attribute.moc"
