#include "core/circuits/tables.h"
#include "core/export/table_files.h"
#include "tests/support/runner.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <limits>

namespace test_circuit_table {

using namespace headscope;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Provenance someModel() {
    Provenance provenance;
    provenance.model_name = "a,b";
    provenance.model_sha256 = "abc";
    provenance.app_version = "0.1.0";
    provenance.note = "There are no norms to fold.";
    return provenance;
}

const std::string kOrigin = ",There are no norms to fold.,\"a,b\",abc,0.1.0\n";

CompositionScores someScores(std::optional<Offset> offset) {
    CompositionScores scores;
    scores.baseline = 0.25;
    scores.offset = offset;
    return scores;
}

const std::vector<CompositionEdge> kEdges{{CompositionKind::K, {0, 1}, {1, 3}, 0.75, 0.5},
                                          {CompositionKind::V, {0, 0}, {2, 0}, 0.125, -0.125}};

MeasuredCopying someCopying() {
    MeasuredCopying table;
    table.heads = {{{0, 1}, {{1.0, 2.0}, {1.0, -2.0}}, 0.5}, {{1, 0}, {}, kNan}};
    table.accuracies = {{0.25, 0.75, 4}, {kNan, kNan, 4}};
    table.sample = {{1, 5, 7, 9}, 3};
    return table;
}

} // namespace

class TestCircuitTable : public QObject {
    Q_OBJECT

private slots:
    void composition() {
        const std::string header =
            "kind,from,to,score,baseline,above_baseline,offset,folding,model,model_sha256,"
            "app_version\n";
        QCOMPARE(tableCsv(compositionTable(someScores({}), kEdges, someModel())),
                 header + "K,0.1,1.3,0.75,0.25,0.5," + kOrigin + "V,0.0,2.0,0.125,0.25,-0.125," +
                     kOrigin);
        QVERIFY(tableCsv(compositionTable(someScores(-2), kEdges, someModel()))
                    .starts_with(header + "K,0.1,1.3,0.75,0.25,0.5,-2" + kOrigin));
        const auto json =
            nlohmann::json::parse(tableJson(compositionTable(someScores({}), kEdges, someModel())));
        QVERIFY(json["baseline"] == 0.25);
        QVERIFY(json["offset"].is_null());
        QVERIFY(json["provenance"]["note"] == "There are no norms to fold.");
        QCOMPARE(json["edges"].size(), 2u);
        const nlohmann::json edge{{"above_baseline", 0.5},
                                  {"from", {{"head", 1}, {"layer", 0}}},
                                  {"kind", "K"},
                                  {"score", 0.75},
                                  {"to", {{"head", 3}, {"layer", 1}}}};
        QVERIFY(json["edges"][0] == edge);
        QVERIFY(nlohmann::json::parse(tableJson(
                    compositionTable(someScores(-2), kEdges, someModel())))["offset"] == -2);
    }

    void copying() {
        QCOMPARE(tableCsv(copyingTable(someCopying(), someModel())),
                 "head,copying_score,top1,top5,sampled_rows,seed,folding,model,model_sha256,"
                 "app_version\n0.1,0.5,0.25,0.75,4,3" +
                     kOrigin + "1.0,nan,nan,nan,4,3" + kOrigin);
        const auto json =
            nlohmann::json::parse(tableJson(copyingTable(someCopying(), someModel())));
        QVERIFY(json["sample"] == (nlohmann::json{{"rows", 4}, {"seed", 3}}));
        const nlohmann::json head{{"eigenvalues", {{1.0, 2.0}, {1.0, -2.0}}},
                                  {"head", 1},
                                  {"layer", 0},
                                  {"score", 0.5},
                                  {"top1", 0.25},
                                  {"top5", 0.75}};
        QVERIFY(json["heads"][0] == head);
        QVERIFY(json["heads"][1]["score"].is_null());
        QVERIFY(json["heads"][1]["eigenvalues"].empty());
        QVERIFY(json["provenance"]["model_sha256"] == "abc");
    }

    void directions() {
        const Model model;
        const HeadDirections of{model, {2, 1}, {{4.5, {{7, 0.5}}, {{8, 0.25}, {9, -1.0}}}}};
        QCOMPARE(tableCsv(directionTable(of, someModel())),
                 "head,direction,singular_value,side,token,piece,value,folding,model,model_sha256,"
                 "app_version\n2.1,0,4.5,reads,7,⟨7⟩,0.5" +
                     kOrigin + "2.1,0,4.5,writes,8,⟨8⟩,0.25" + kOrigin +
                     "2.1,0,4.5,writes,9,⟨9⟩,-1" + kOrigin);
        const auto json = nlohmann::json::parse(tableJson(directionTable(of, someModel())));
        QVERIFY(json["layer"] == 2 && json["head"] == 1);
        const nlohmann::json direction{
            {"reads", {{{"piece", "⟨7⟩"}, {"token", 7}, {"value", 0.5}}}},
            {"singular_value", 4.5},
            {"writes",
             {{{"piece", "⟨8⟩"}, {"token", 8}, {"value", 0.25}},
              {{"piece", "⟨9⟩"}, {"token", 9}, {"value", -1.0}}}}};
        QVERIFY(json["directions"][0] == direction);
    }
};

const headscope::test::TestRegistration<TestCircuitTable> registration;

} // namespace test_circuit_table

#include "test_circuit_table.moc"
