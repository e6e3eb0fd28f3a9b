#include "tests/support/runner.h"
#include "ui/tables/head_text.h"

#include <QTest>

#include <limits>

namespace test_head_text {

using namespace headscope;
using namespace headscope::ui;

namespace {

/// One head with the given score and baseline 0.01 for every type, certain.
HeadScores scoresOf(double induction, double sink) {
    HeadScores scores;
    scores.heads = {1, 1};
    for (const HeadType& type : headTypes()) {
        const double score = type.id == HeadTypeId::Induction ? induction
                             : type.id == HeadTypeId::Sink    ? sink
                                                              : 0.0;
        scores.types.push_back(type.id);
        scores.scores.push_back({{0, 0}, type.id, score, 0.01, score, score, score});
        scores.measured_on.push_back({"10 random sequences", "with BOS (id 0)", 10});
    }
    return scores;
}

} // namespace

class TestHeadText : public QObject {
    Q_OBJECT

private slots:
    void labelsCarryScoreAndBaseline() {
        QCOMPARE(labelText(scoresOf(0.62, 0.1), {0, 0}, {}),
                 QStringLiteral("induction 0.62 (baseline 0.01)"));
    }

    void aHeadCanHaveSeveralTypes() {
        QCOMPARE(labelText(scoresOf(0.62, 0.7), {0, 0}, {}),
                 QStringLiteral("attention sink 0.70 (baseline 0.01) · induction 0.62 (baseline "
                                "0.01)"));
    }

    void aHeadCanHaveNone() {
        QCOMPARE(labelText(scoresOf(0.1, 0.1), {0, 0}, {}), QStringLiteral("no type"));
    }

    void tooltipNamesGroupAndAblation() {
        ModelSpec spec;
        spec.n_heads = 8;
        spec.n_kv_heads = 2;
        HeadMask mask;
        mask.set({0, 0}, AblationKind::Mean);
        const HeadScores scores = scoresOf(0.62, 0.1);
        const QString tip = headTooltip(spec, &scores, {0, 0}, {}, mask).html();
        QVERIFY(tip.contains(QStringLiteral("KV head 0, shared by 4 query heads")));
        QVERIFY(tip.contains(QStringLiteral("replaced by its mean")));
        QVERIFY(tip.contains(QStringLiteral("baseline 0.01 · 95 % 0.62–0.62")));
    }

    void aHeadWithoutATypeHasNoEmptyTable() {
        ModelSpec spec;
        spec.n_heads = 8;
        spec.n_kv_heads = 2;
        const HeadScores scores = scoresOf(0.01, 0.1);
        const QString tip = headTooltip(spec, &scores, {0, 0}, {}, {}).html();
        QVERIFY2(tip.contains(QStringLiteral("no type<br>Reads keys")), qPrintable(tip));
    }

    void whatIsNotDefinedSaysWhy() {
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        HeadScores scores = scoresOf(kNone, 0.1);
        QCOMPARE(undefinedText(scores, HeadTypeId::Induction),
                 QStringLiteral("nothing in this input to read it from"));
        for (HeadScore& score : scores.scores)
            score.score = kNone;
        QCOMPARE(undefinedText(scores, HeadTypeId::Coreference),
                 QStringLiteral("needs sentences whose words are known"));
        QCOMPARE(undefinedText(scores, HeadTypeId::CopyingWeights),
                 QStringLiteral("not defined for its weights"));
        scores.heads = {1, 2}; // another head is judged
        scores.scores.clear();
        for (const HeadTypeId type : scores.types)
            for (const double score : {kNone, 0.5})
                scores.scores.push_back(
                    {{0, score == 0.5 ? 1u : 0u}, type, score, 0.01, score, score, score});
        QCOMPARE(undefinedText(scores, HeadTypeId::Coreference),
                 QStringLiteral("gives such tokens too little to be judged"));
    }

    void durationsAreInUnitsThatCanBeRead() {
        QCOMPARE(durationText(0.0042), QStringLiteral("4.2 ms"));
        QCOMPARE(durationText(0.365), QStringLiteral("365 ms"));
        QCOMPARE(durationText(23.138), QStringLiteral("23.1 s"));
        QCOMPARE(durationText(83.4), QStringLiteral("1 min 23 s"));
    }

    void numbersAreShort() {
        QCOMPARE(scoreText(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("–"));
        QCOMPARE(scoreText(0.617), QStringLiteral("0.62"));
        QCOMPARE(shortScoreText(0.617), QStringLiteral(".62"));
        QCOMPARE(shortScoreText(0.0), QStringLiteral(".00"));
        QCOMPARE(shortScoreText(0.999), QStringLiteral("1"));
        QCOMPARE(shortScoreText(-0.25), QStringLiteral("-.25"));
        QCOMPARE(shortScoreText(std::numeric_limits<double>::quiet_NaN()), QStringLiteral("–"));
        QCOMPARE(percentText(0.412), QStringLiteral("41 %"));
        QCOMPARE(percentText(0.0324), QStringLiteral("3.2 %"));
        QCOMPARE(percentText(0.0004), QStringLiteral("< 0.1 %"));
    }

    void oneSequenceHasNoInterval() {
        const HeadScores scores = scoresOf(0.62, 0.1);
        const HeadScore& score = scores.at(HeadTypeId::Induction, {0, 0});
        QCOMPARE(baselineText(score, 10), QStringLiteral("baseline 0.01 · 95 % 0.62–0.62"));
        QCOMPARE(baselineText(score, 1), QStringLiteral("baseline 0.01"));
    }

    void saysWhatTheScoresWereMeasuredOn() {
        QCOMPARE(scoreInputText(scoresOf(0.0, 0.0), {HeadTypeId::Induction}),
                 QStringLiteral("Measured on 10 random sequences, with BOS (id 0)."));
    }
};

const headscope::test::TestRegistration<TestHeadText> registration;

} // namespace test_head_text

#include "test_head_text.moc"
