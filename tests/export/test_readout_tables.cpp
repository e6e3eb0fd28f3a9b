// Attributions, backup heads, logit lens and head similarity as tables.

#include "core/attribution/tables.h"
#include "core/export/table_files.h"
#include "core/interventions/tables.h"
#include "core/similarity/tables.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

namespace test_readout_tables {

using namespace headscope;

namespace {

Provenance origin() {
    Provenance provenance;
    provenance.model_name = "a,b";
    provenance.model_sha256 = "abc";
    provenance.app_version = "0.1.0";
    provenance.ids = {1, 2};
    provenance.note = "the text \"x\"";
    return provenance;
}

/// The last columns of tables that name their prompt.
std::string lastColumns() {
    return "," + origin().promptId() + ",\"a,b\",abc,0.1.0\n";
}

/// One layer with one head.
LogitAttribution sampleAttribution() {
    LogitAttribution attribution;
    attribution.question = {{1, 2}, 1, 7, {}};
    attribution.logit = 0.5;
    attribution.parts = {{LogitPartKind::Embedding, {}, 1.0},
                         {LogitPartKind::Head, {0, 0}, -0.75},
                         {LogitPartKind::Biases, {0, 0}, 0.125},
                         {LogitPartKind::OutputBias, {}, 0.125}};
    attribution.sources = Tensor({1, 1, 2});
    attribution.sources(0u, 0u, 0u) = -1.0f;
    attribution.sources(0u, 0u, 1u) = 0.25f;
    return attribution;
}

BackupResult sampleBackup() {
    BackupResult result;
    result.question.prompts = {{{1, 2}, 1, 7, 9}};
    result.question.ablated = {{0, 1}, {0, 0}};
    result.question.kind = AblationKind::Mean;
    result.full_logit = 2.0;
    result.ablated_logit = 1.0;
    result.full_effects = {HeadIndex(1, 2), {0.5, 0.25}};
    result.ablated_effects = {HeadIndex(1, 2), {0.0, 0.75}};
    return result;
}

LogitLens sampleLens(bool followed) {
    LogitLens lens;
    lens.question = {{1}, 2, {}};
    if (followed)
        lens.question.token = TokenId{3};
    lens.depths = 2;
    lens.readings.resize(2);
    for (LensReading& reading : lens.readings) {
        reading.top = {{3, 0.5, 2.0f}, {1, 0.25, 1.0f}};
        reading.kl = 0.125;
        reading.entropy = 1.5;
        if (followed) {
            reading.probability = 0.5;
            reading.rank = 1;
        }
    }
    return lens;
}

/// Heads 0.0 and 1.0 are alike.
HeadSimilarity sampleSimilarity() {
    HeadSimilarity similarity;
    similarity.index = HeadIndex(3, 1);
    similarity.pattern_distance = Tensor({3, 3}, 0.5f);
    similarity.output_cosine = Tensor({3, 3}, 0.25f);
    similarity.pattern_distance(0u, 1u) = similarity.pattern_distance(1u, 0u) = 0.0625f;
    for (std::size_t i = 0; i < 3; ++i) {
        similarity.pattern_distance(i, i) = 0.0f;
        similarity.output_cosine(i, i) = 1.0f;
    }
    similarity.tree = averageLinkage(similarity.pattern_distance.matrix());
    similarity.order = leafOrder(similarity.tree);
    return similarity;
}

} // namespace

class TestReadoutTables : public QObject {
    Q_OBJECT

private slots:
    void attributionCsvIsStable() {
        const std::string end = ",0.5,7,,1" + lastColumns();
        QCOMPARE(tableCsv(attributionTable(sampleAttribution(), Model(), origin())),
                 "part,layer,head,value,logit,token,against,position,prompt,model,model_sha256,"
                 "app_version\nembedding,,,1" +
                     end + "head,0,0,-0.75" + end + "biases,0,,0.125" + end +
                     "output bias,,,0.125" + end);
    }

    void attributionJsonHoldsSources() {
        const auto json = nlohmann::json::parse(
            tableJson(attributionTable(sampleAttribution(), Model(), origin())));
        QVERIFY(json["against"].is_null());
        QVERIFY(json["logit"] == 0.5);
        const nlohmann::json head{{"head", 0},
                                  {"layer", 0},
                                  {"part", "head"},
                                  {"sources", {-1.0, 0.25}},
                                  {"value", -0.75}};
        QVERIFY(json["parts"][1] == head);
        QVERIFY(json["parts"][0]["layer"].is_null());
        QVERIFY(json["parts"][2]["head"].is_null());
        QVERIFY(json["provenance"]["model_sha256"] == "abc");
    }

    void backupTables() {
        const std::string end = ",2,1,0.0 0.1,mean" + lastColumns();
        QCOMPARE(tableCsv(backupTable(sampleBackup(), origin())),
                 "layer,head,full,ablated,rise,full_logit,ablated_logit,without,ablation,prompt,"
                 "model,model_sha256,app_version\n0,0,0.5,0,-0.5" +
                     end + "0,1,0.25,0.75,0.5" + end);
        const auto json = nlohmann::json::parse(tableJson(backupTable(sampleBackup(), origin())));
        QVERIFY(json["heads"][1]["rise"] == 0.5);
        QVERIFY(json["prompts"][0]["against"] == 9);
        QVERIFY(json["without"] == "0.0 0.1");
    }

    void lensTables() {
        const Model model;
        const std::string row = ",⟨3⟩,3 1,0.5 0.25,0.5,1,0.125,1.5,3" + lastColumns();
        const std::string header = "depth,position,top,top_ids,top_probabilities,probability,rank,"
                                   "kl,entropy,token,prompt,model,model_sha256,app_version\n";
        QCOMPARE(tableCsv(lensTable(sampleLens(true), model, origin())),
                 header + "0,0" + row + "1,0" + row);
        const std::string plain = ",⟨3⟩,3 1,0.5 0.25,,,0.125,1.5," + lastColumns();
        QCOMPARE(tableCsv(lensTable(sampleLens(false), model, origin())),
                 header + "0,0" + plain + "1,0" + plain);
        const auto json =
            nlohmann::json::parse(tableJson(lensTable(sampleLens(true), model, origin())));
        QVERIFY(json["readings"][1]["depth"] == 1);
        QVERIFY(json["readings"][1]["rank"] == 1);
        QVERIFY(json["readings"][1]["top"][1]["piece"] == "⟨1⟩");
        const auto unfollowed =
            nlohmann::json::parse(tableJson(lensTable(sampleLens(false), model, origin())));
        QVERIFY(unfollowed["token"].is_null());
        QVERIFY(unfollowed["readings"][0]["rank"].is_null());
    }

    void similarityTables() {
        const std::string end = ",\"the text \"\"x\"\"\",\"a,b\",abc,0.1.0\n";
        QCOMPARE(tableCsv(similarityTable(sampleSimilarity(), 0.1, origin())),
                 "a,b,pattern_distance,output_cosine,redundant,input,model,model_sha256,"
                 "app_version\n0.0,1.0,0.0625,0.25,1" +
                     end + "0.0,2.0,0.5,0.25,0" + end + "1.0,2.0,0.5,0.25,0" + end);
        const auto json =
            nlohmann::json::parse(tableJson(similarityTable(sampleSimilarity(), 0.1, origin())));
        QCOMPARE(json["clusters"].dump(), std::string(R"([["0.0","1.0"],["2.0"]])"));
        QCOMPARE(json["order"].dump(), std::string(R"(["2.0","0.0","1.0"])"));
        QVERIFY(json["pattern_distance"][0][1] == 0.0625);
        QVERIFY(json["output_cosine"][2][2] == 1.0);
        QCOMPARE(json["redundant_pairs"].size(), 1u);
        QVERIFY(json["redundant_pairs"][0]["b"] == "1.0");
    }
};

const headscope::test::TestRegistration<TestReadoutTables> registration;

} // namespace test_readout_tables

#include "test_readout_tables.moc"
