#include "core/export/table_files.h"
#include "core/heads/score_table.h"
#include "tests/support/npz_reader.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <limits>

namespace test_scores_table {

using namespace headscope;

namespace {

/// One layer of two heads: 0.0 is an induction head that also rests on the sink, 0.1 is nothing and
/// its induction score is undefined.
HeadScores sampleScores() {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    HeadScores scores;
    scores.heads = {1, 2};
    scores.types = {HeadTypeId::Induction, HeadTypeId::Sink};
    scores.scores = {
        {{0, 0}, HeadTypeId::Induction, 0.75, 0.01, 0.7, 0.8, 0.75, 0.625, 0.02, 0.6, 0.001},
        {{0, 1}, HeadTypeId::Induction, nan, nan, nan, nan, nan},
        {{0, 0}, HeadTypeId::Sink, 0.5, 0.25, 0.4, 0.6, 0.45},
        {{0, 1}, HeadTypeId::Sink, 0.125, 0.25, 0.1, 0.15, 0.1}};
    scores.measured_on = {{"2 random sequences of 5 tokens, repeated, seed 0", "without BOS", 2},
                          {"this prompt of 3 tokens", "with BOS (id 0)", 1}};
    return scores;
}

Thresholds sampleThresholds() {
    Thresholds thresholds;
    thresholds.set(HeadTypeId::Induction, 0.3);
    thresholds.set(HeadTypeId::Sink, 0.5);
    return thresholds;
}

Provenance sampleModel() {
    Provenance provenance;
    provenance.model_name = "a,b";
    provenance.model_sha256 = "abc";
    provenance.app_version = "0.1.0";
    return provenance;
}

} // namespace

class TestScoresTable : public QObject {
    Q_OBJECT

private slots:
    void csvIsStable() {
        const QByteArray model = "\"a,b\",abc,0.1.0\n";
        const QByteArray random =
            ",\"2 random sequences of 5 tokens, repeated, seed 0\",without BOS," + model;
        const QByteArray prompt = ",this prompt of 3 tokens,with BOS (id 0)," + model;
        const QByteArray expected =
            "layer,head,detector,score,chance,low,high,variant,on_sentences,control,above_control,"
            "p_value,threshold,labels,"
            "input,bos,model,model_sha256,app_version\n"
            "0,0,induction,0.75,0.01,0.7,0.8,0.75,0.625,0.02,0.6,0.001,0.3,induction sink" +
            random + "0,1,induction,nan,nan,nan,nan,nan,nan,nan,nan,nan,0.3," + random +
            "0,0,sink,0.5,0.25,0.4,0.6,0.45,nan,nan,nan,nan,0.5,induction sink" + prompt +
            "0,1,sink,0.125,0.25,0.1,0.15,0.1,nan,nan,nan,nan,0.5," + prompt;
        const auto found = QByteArray::fromStdString(
            tableCsv(scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        QCOMPARE(found.split('\n'), expected.split('\n'));
    }

    void labelsAreARowEach() {
        const std::vector<LayerHead> heads{{0, 0}, {0, 1}};
        const Table table = labelTable(sampleScores(), sampleThresholds(), heads);
        QCOMPARE(table.rows.size(), std::size_t{2}); // 0.1 has no type
        const auto text = [&](std::size_t row, const char* key) {
            return plainText(table.rows[row][table.column(key)]);
        };
        QCOMPARE(text(0, "head"), std::string("0.0"));
        QCOMPARE(text(0, "type"), std::string("Induction"));
        QCOMPARE(text(0, "score"), std::string("0.75"));
        QCOMPARE(text(0, "low"), std::string("0.7"));
        QCOMPARE(text(0, "high"), std::string("0.8"));
        QCOMPARE(text(0, "baseline"), std::string("0.01"));
        QCOMPARE(text(0, "threshold"), std::string("0.3"));
        QCOMPARE(text(1, "score"), std::string("0.5"));
        QCOMPARE(text(1, "low"), std::string()); // of one sequence
        QCOMPARE(text(1, "high"), std::string());
    }

    void columnsSayWhatTheyMean() {
        const Table table = scoreTable(sampleScores(), sampleThresholds(), sampleModel());
        for (const Column& column : table.columns)
            QVERIFY2(column.key == "layer" || column.key == "head" || !column.meaning.empty(),
                     column.key.c_str());
    }

    void hdf5HasNaNWhereNothingWasMeasured() {
        const QTemporaryDir folder;
        const std::filesystem::path path =
            std::filesystem::path(folder.path().toStdString()) / "s.h5";
        QVERIFY(writeTable(path, scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        const Tensor found = test::ReferenceFile(path).floats("table/on_sentences");
        QCOMPARE(found.shape(), Shape{4});
        QCOMPARE(found(0u), 0.625f);
        for (std::size_t row = 1; row < 4; ++row)
            QVERIFY(std::isnan(found(row)));
    }

    void jsonHoldsEverything() {
        const auto json = nlohmann::json::parse(
            tableJson(scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        QVERIFY(json["measured_on"]["induction"] ==
                (nlohmann::json{{"input", "2 random sequences of 5 tokens, repeated, seed 0"},
                                {"bos", "without BOS"},
                                {"sequences", 2}}));
        QVERIFY(json["measured_on"]["sink"]["sequences"] == 1);
        QVERIFY(json["thresholds"]["induction"] == 0.3);
        QVERIFY(json["provenance"]["model_sha256"] == "abc");
        QVERIFY(json["sink_share"] == 0.5);
        QCOMPARE(json["heads"].size(), 2u);
        const auto& head = json["heads"][0];
        QVERIFY(head["layer"] == 0);
        QVERIFY(head["labels"] == (nlohmann::json{"induction", "sink"}));
        QVERIFY(head["scores"]["sink"] == (nlohmann::json{{"score", 0.5},
                                                          {"chance", 0.25},
                                                          {"low", 0.4},
                                                          {"high", 0.6},
                                                          {"variant", 0.45},
                                                          {"on_sentences", nullptr},
                                                          {"control", nullptr},
                                                          {"above_control", nullptr},
                                                          {"p_value", nullptr}}));
        QVERIFY(head["scores"]["induction"]["on_sentences"] == 0.625);
        QVERIFY(head["scores"]["induction"]["control"] == 0.02);
        QVERIFY(head["scores"]["induction"]["above_control"] == 0.6);
        QVERIFY(head["scores"]["induction"]["p_value"] == 0.001);
        QVERIFY(json["heads"][1]["scores"]["induction"]["score"].is_null());
    }

    void labelsFollowTheThresholds() {
        Thresholds strict = sampleThresholds();
        strict.set(HeadTypeId::Sink, 0.51);
        const auto json =
            nlohmann::json::parse(tableJson(scoreTable(sampleScores(), strict, sampleModel())));
        QVERIFY(json["heads"][0]["labels"] == nlohmann::json{"induction"});
        QVERIFY(tableCsv(scoreTable(sampleScores(), strict, sampleModel()))
                    .find("0.51,induction,this") != std::string::npos);
    }

    void fileHoldsTheTextOfItsExtension() {
        const QTemporaryDir folder;
        const std::filesystem::path csv =
            std::filesystem::path(folder.path().toStdString()) / "s.csv";
        const std::filesystem::path json =
            std::filesystem::path(folder.path().toStdString()) / "s.json";
        QVERIFY(writeTable(csv, scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        QVERIFY(writeTable(json, scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        QCOMPARE(test::readFile(csv),
                 tableCsv(scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
        QCOMPARE(test::readFile(json),
                 tableJson(scoreTable(sampleScores(), sampleThresholds(), sampleModel())));
    }

    void otherExtensionsAreRefused() {
        const auto written =
            writeTable("scores.txt", scoreTable(sampleScores(), sampleThresholds(), sampleModel()));
        QVERIFY(!written);
        QCOMPARE(written.error().code, ErrorCode::InvalidArgument);
        QVERIFY(written.error().message.find("scores.txt") != std::string::npos);
        QVERIFY(!std::filesystem::exists("scores.txt"));
    }
};

const headscope::test::TestRegistration<TestScoresTable> registration;

} // namespace test_scores_table

#include "test_scores_table.moc"
