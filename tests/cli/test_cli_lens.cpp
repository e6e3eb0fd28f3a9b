#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_cli_lens {

using namespace headscope::test;

namespace {

CliResult lens(const Arguments& more) {
    return runCli(Arguments{"lens", sampleModel("gpt2-mini-6l.h5"), "--text",
                            "When Mary and John went to the store, John gave a drink to"} +
                  more);
}

} // namespace

class TestCliLens : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsEveryReading() {
        const CliResult result = lens({"--token", " Mary", "--top", "2", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["depths"].get<int>(), 7);
        QCOMPARE(json["token"].get<int>(), 658);
        QCOMPARE(json["readings"].size(), 7u * 15u);
        const nlohmann::json& reading = json["readings"][3 * 15 + 14];
        QCOMPARE(reading["depth"].get<int>(), 3);
        QCOMPARE(reading["position"].get<int>(), 14);
        QCOMPARE(reading["rank"].get<int>(), 3);
        QVERIFY(std::abs(reading["probability"].get<double>() - 0.116456) < 1e-5);
        QVERIFY(std::abs(reading["kl"].get<double>() - 2.112887) < 1e-4);
        QCOMPARE(reading["top"].size(), 2u);
        QVERIFY(json["readings"][6 * 15 + 14]["top"][0]["piece"] == " Mary");
        QVERIFY(json["provenance"]["model_name"] == "gpt2-mini-6l");
    }

    void withoutATokenNothingIsFollowed() {
        const nlohmann::json json = lens({"--json"}).json();
        QVERIFY(json["token"].is_null());
        QVERIFY(json["readings"][0]["rank"].is_null());
        QVERIFY(json["readings"][0]["probability"].is_null());
        QCOMPARE(json["readings"][0]["top"].size(), 5u);
    }

    void csvHasARowPerReading() {
        const CliResult result = lens({"--token", " Mary", "--top", "1", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("depth,position,top,top_ids,top_probabilities,probability,"
                                       "rank,kl,entropy,token,prompt,model,"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 7 * 15);
        QVERIFY(contains(result.out, "\n6,14, Mary,658,0.99"));
    }

    void tableHasARowPerPosition() {
        const CliResult result = lens({"--token", " Mary"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        for (const char* part :
             {"rank and probability of ·Mary", "layer 5", "\n14 ·to", "·Mary 99.2 %, #1 99.2 %"})
            QVERIFY2(contains(result.out, part), part);
        QVERIFY(!contains(result.out, "layer 6"));
    }

    /// The last depth is what the ablated network predicts.
    void ablatedHeadsAreAblatedWhileItIsRead() {
        const Arguments ablated{"--ablate", "4.1", "--ablation", "mean", "--json"};
        const CliResult result = lens(ablated);
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json run =
            runCli(Arguments{"run", sampleModel("gpt2-mini-6l.h5"), "--text",
                             "When Mary and John went to the store, John gave a drink to"} +
                   ablated)
                .json();
        const nlohmann::json json = result.json();
        const nlohmann::json& last = json["readings"][6 * 15 + 14]["top"][0];
        QVERIFY(last["id"] == run["predictions"][0]["id"]);
        QVERIFY(std::abs(last["probability"].get<double>() -
                         run["predictions"][0]["probability"].get<double>()) < 1e-5);
    }

    void encodersReadTheirMask() {
        const CliResult result = runCli(
            {"lens", sampleModel("bert-mini-4l.h5"), "--text", "the [MASK] sat down", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QCOMPARE(result.json()["depths"].get<int>(), 5);
    }

    void failures() {
        const CliResult tokens = lens({"--token", "Maryland"});
        QVERIFY2(failedWithOneSentence(tokens, 1), tokens.err.c_str());
        const CliResult none = runCli({"lens", sampleModel("notebook.h5"), "--ids", "1"});
        QVERIFY2(failedWithOneSentence(none, 1), none.err.c_str());
        QVERIFY(contains(none.err, "no unembedding"));
        const CliResult top = lens({"--top", "0"});
        QVERIFY2(failedWithOneSentence(top, 2), top.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliLens> registration;

} // namespace test_cli_lens

#include "test_cli_lens.moc"
