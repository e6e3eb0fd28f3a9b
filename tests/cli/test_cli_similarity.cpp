#include "tests/cli/cli_process.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_cli_similarity {

using namespace headscope::test;

namespace {

CliResult similarity(const Arguments& more) {
    return runCli(Arguments{"similarity", sampleModel("gpt2-mini-6l.h5")} + more);
}

CliResult onStory(const Arguments& more) {
    return similarity(
        Arguments{"--text", "When Mary and John went to the store, John gave a drink to"} + more);
}

} // namespace

class TestCliSimilarity : public QObject {
    Q_OBJECT

private slots:
    void jsonHoldsBothMatrices() {
        const CliResult result = onStory({"--below", "0.1", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        const nlohmann::json json = result.json();
        QCOMPARE(json["heads"].size(), 48u);
        QVERIFY(json["heads"][33] == "4.1");
        QCOMPARE(json["order"].size(), 48u);
        QVERIFY(std::abs(json["pattern_distance"][33][34].get<double>() - 0.0933167) < 1e-5);
        QVERIFY(std::abs(json["output_cosine"][34][33].get<double>() - 0.2640691) < 1e-5);
        std::size_t in_clusters = 0;
        for (const nlohmann::json& cluster : json["clusters"])
            in_clusters += cluster.size();
        QCOMPARE(in_clusters, 48u);
        QVERIFY(std::ranges::any_of(json["redundant_pairs"], [](const nlohmann::json& pair) {
            return pair["a"] == "3.5" && pair["b"] == "4.5";
        }));
        QVERIFY(contains(json["provenance"]["note"].get<std::string>(), "When Mary"));
    }

    void idsAreAPrompt() {
        const CliResult result = runCli(
            {"similarity", fixture("llama.h5"), "--ids", "1,2,3,4,5", "--ids", "7,8,9", "--json"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.json()["provenance"]["note"] == "the ids 1,2,3,4,5 and 7,8,9");
        const CliResult both = similarity({"--text", "a", "--ids", "1"});
        QCOMPARE(both.exit_code, 2);
    }

    void csvHasARowPerPair() {
        const CliResult result = onStory({"--below", "0.1", "--csv"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(result.out.starts_with("a,b,pattern_distance,output_cosine,redundant,input,model,"
                                       "model_sha256,app_version\n0.0,0.1,0.2458"));
        QCOMPARE(std::ranges::count(result.out, '\n'), 1 + 48 * 47 / 2);
        QVERIFY(contains(result.out, "\n3.5,4.5,0.0445"));
    }

    void randomTokensWithoutAText() {
        const CliResult result = similarity({"--below", "0.1"});
        QVERIFY2(result.exit_code == 0, result.err.c_str());
        QVERIFY(contains(result.out, "10 random sequences of 50 tokens, repeated, seed 0"));
        QVERIFY(contains(result.out, "\n\nClusters of average linkage below 0.1 nats:\n\nheads\n"));
    }

    void failures() {
        const CliResult one = similarity({"--text", "a", "--bos", "no"});
        QVERIFY2(failedWithOneSentence(one, 1), one.err.c_str());
        QVERIFY(contains(one.err, "one token"));
        const CliResult below = similarity({"--below", "2"});
        QVERIFY2(failedWithOneSentence(below, 2), below.err.c_str());
        const CliResult short_context = runCli({"similarity", sampleModel("notebook.h5")});
        QVERIFY2(failedWithOneSentence(short_context, 1), short_context.err.c_str());
    }
};

const headscope::test::TestRegistration<TestCliSimilarity> registration;

} // namespace test_cli_similarity

#include "test_cli_similarity.moc"
