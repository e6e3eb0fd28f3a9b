#include "core/heads/bootstrap.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <span>

namespace test_head_score {

using namespace headscope;

namespace {

/// One head with a score for sink and one for induction.
HeadScores twoScores(double sink, double sink_low, double induction, double induction_low) {
    HeadScores scores;
    scores.heads = {1, 1};
    scores.types = {HeadTypeId::Sink, HeadTypeId::Induction};
    scores.measured_on.assign(2, {"input", "without BOS", 2});
    scores.scores = {
        {{0, 0}, HeadTypeId::Sink, sink, 0.05, sink_low, 1.0, sink},
        {{0, 0}, HeadTypeId::Induction, induction, 0.01, induction_low, 1.0, induction}};
    return scores;
}

Thresholds thresholdsOf(double induction, double sink) {
    Thresholds thresholds;
    thresholds.set(HeadTypeId::Induction, induction);
    thresholds.set(HeadTypeId::Sink, sink);
    return thresholds;
}

using Labels = std::vector<HeadTypeId>;

} // namespace

class TestHeadScore : public QObject {
    Q_OBJECT

private slots:
    void severalLabelsStrongestFirst() {
        const Thresholds thresholds = thresholdsOf(0.3, 0.5);
        QCOMPARE(labels(twoScores(0.6, 0.5, 0.9, 0.8), {0, 0}, thresholds),
                 (Labels{HeadTypeId::Induction, HeadTypeId::Sink}));
        QCOMPARE(labels(twoScores(0.9, 0.5, 0.6, 0.5), {0, 0}, thresholds),
                 (Labels{HeadTypeId::Sink, HeadTypeId::Induction}));
    }

    /// One text names no head; of two with the same scores, both have types.
    void oneTextGivesNoTypes() {
        const Thresholds thresholds = thresholdsOf(0.3, 0.5);
        HeadScores scores = twoScores(0.6, 0.5, 0.9, 0.8);
        QVERIFY(scores.naming() == Naming::Possible);
        for (MeasuredOn& on : scores.measured_on)
            on.sequences = 1;
        QVERIFY(scores.naming() == Naming::OneText);
        QVERIFY(labels(scores, {0, 0}, thresholds).empty());
        scores.measured_on.back().sequences = 2;
        QVERIFY(scores.naming() == Naming::Possible);
        scores.types = {HeadTypeId::CopyingWeights, HeadTypeId::InductionWeights};
        QVERIFY(scores.naming() == Naming::WeightsAlone);
    }

    /// S-inhibition acts on name movers, and nothing reaches a head of an earlier or its own layer.
    void actsOnlyOnLaterLayers() {
        using enum HeadTypeId;
        HeadScores scores;
        scores.heads = {3, 1};
        scores.types = {NameMover, SInhibition};
        scores.measured_on.assign(2, {"input", "without BOS", 2});
        for (const std::size_t layer : {0u, 1u, 2u})
            scores.scores.push_back({{layer, 0}, NameMover, layer == 1 ? 0.9 : 0.0, 0.0, 0.8, 1.0});
        for (const std::size_t layer : {0u, 1u, 2u})
            scores.scores.push_back({{layer, 0}, SInhibition, 0.9, 0.0, 0.8, 1.0});
        QCOMPARE(labels(scores, {0, 0}, {}), Labels{SInhibition});
        QCOMPARE(labels(scores, {1, 0}, {}), Labels{NameMover});
        QCOMPARE(labels(scores, {2, 0}, {}), Labels{});
        const std::vector<std::string> keys{"s-inhibition"};
        QCOMPARE(typesOf(keys), (Labels{SInhibition, NameMover}));
    }

    void aLabelSaysItsOffset() {
        HeadScore score{{0, 0}, HeadTypeId::Positional, 1.0, 0.0, 1.0, 1.0, -20.0};
        QCOMPARE(scoreName(score), std::string("Positional −20"));
        score.variant = 1.0;
        QCOMPARE(scoreName(score), std::string("Positional +1"));
        score.variant = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(scoreName(score), std::string("Positional"));
        score.type = HeadTypeId::Previous;
        score.variant = 0.5;
        QCOMPARE(scoreName(score), std::string("Previous token"));
    }

    void nearestIsAPartOfTheWayFromTheBaseline() {
        using Nearest = std::optional<HeadTypeId>;
        // sink: 0.15 of 0.45 of the way from 0.05 to 0.5; induction: 0.1 of 0.29 from 0.01 to 0.3.
        const Thresholds thresholds = thresholdsOf(0.3, 0.5);
        QCOMPARE(nearestType(twoScores(0.2, 0.1, 0.11, 0.1), {0, 0}, thresholds),
                 Nearest(HeadTypeId::Induction));
        QCOMPARE(nearestType(twoScores(0.21, 0.1, 0.11, 0.1), {0, 0}, thresholds),
                 Nearest(HeadTypeId::Sink));
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        QCOMPARE(nearestType(twoScores(kNone, kNone, 0.11, 0.1), {0, 0}, thresholds),
                 Nearest(HeadTypeId::Induction));
        QCOMPARE(nearestType(twoScores(0.05, 0.0, 0.01, 0.0), {0, 0}, thresholds), Nearest());
        // One that is over its threshold, but not surely over its baseline, is not on its way.
        QCOMPARE(nearestType(twoScores(0.6, 0.0, 0.0, 0.0), {0, 0}, thresholds), Nearest());
    }

    void thresholdIsInclusive() {
        const Thresholds thresholds = thresholdsOf(0.3, 0.5);
        QCOMPARE(labels(twoScores(0.5, 0.4, 0.29, 0.2), {0, 0}, thresholds),
                 Labels{HeadTypeId::Sink});
    }

    void intervalMustLieAboveBaseline() {
        const Thresholds thresholds = thresholdsOf(0.3, 0.5);
        QCOMPARE(labels(twoScores(0.6, 0.05, 0.0, 0.0), {0, 0}, thresholds), Labels{});
        QCOMPARE(labels(twoScores(0.6, 0.051, 0.0, 0.0), {0, 0}, thresholds),
                 Labels{HeadTypeId::Sink});
    }

    void baselineNeverGetsALabel() {
        const Thresholds none = thresholdsOf(0.0, 0.0);
        QCOMPARE(labels(twoScores(0.05, 0.04, 0.01, 0.01), {0, 0}, none), Labels{});
    }

    void thresholdsByType() {
        Thresholds thresholds;
        for (const HeadType& each : headTypes())
            QCOMPARE(thresholds.of(each.id), each.threshold);
        thresholds.set(HeadTypeId::Sink, 0.77);
        QCOMPARE(thresholds.of(HeadTypeId::Sink), 0.77);
        QCOMPARE(thresholds.of(HeadTypeId::Previous), headType(HeadTypeId::Previous).threshold);
        QVERIFY(thresholds != Thresholds());
        thresholds.set(HeadTypeId::Sink, headType(HeadTypeId::Sink).threshold);
        QVERIFY(thresholds == Thresholds()); // moved back is not moved
    }

    void layoutIsTypeThenLayerThenHead() {
        HeadScores scores;
        scores.heads = {2, 3};
        scores.types = {HeadTypeId::Sink, HeadTypeId::Previous};
        scores.measured_on.assign(2, {"input", "without BOS", 2});
        for (const HeadTypeId id : scores.types)
            for (std::size_t layer = 0; layer < 2; ++layer)
                for (std::size_t head = 0; head < 3; ++head)
                    scores.scores.push_back({.head = {layer, head}, .type = id});
        for (const HeadTypeId id : scores.types) {
            const HeadScore& found = scores.at(id, {1, 2});
            QCOMPARE(found.type, id);
            QVERIFY((found.head == LayerHead{1, 2}));
        }
    }

    void takenTypesStayInDisplayOrder() {
        const auto one = [](HeadTypeId id, double score) {
            HeadScores scores;
            scores.heads = {1, 2};
            scores.types = {id};
            scores.measured_on = {{"input", "without BOS", 2}};
            for (const std::size_t head : {0U, 1U})
                scores.scores.push_back({{0, head}, id, score, 0.0, score, score, score});
            return scores;
        };
        HeadScores scores = one(HeadTypeId::Sink, 0.5);
        scores.take(HeadTypeId::Diffuse, one(HeadTypeId::Diffuse, 0.6));
        scores.take(HeadTypeId::Previous, one(HeadTypeId::Previous, 0.7));
        scores.take(HeadTypeId::Sink, one(HeadTypeId::Sink, 0.8)); // in place of the old ones
        QCOMPARE(scores.types,
                 (Labels{HeadTypeId::Previous, HeadTypeId::Sink, HeadTypeId::Diffuse}));
        QCOMPARE(scores.scores.size(), 6u);
        QCOMPARE(scores.measured_on.size(), 3u);
        QCOMPARE(scores.at(HeadTypeId::Previous, {0, 1}).score, 0.7);
        QCOMPARE(scores.at(HeadTypeId::Sink, {0, 1}).score, 0.8);
        QCOMPARE(scores.at(HeadTypeId::Diffuse, {0, 1}).score, 0.6);
    }

    void sinkShareCountsHeads() {
        QCOMPARE(sinkShare(twoScores(0.31, 0.1, 0.9, 0.8)), 1.0);
        QCOMPARE(sinkShare(twoScores(0.3, 0.1, 0.9, 0.8)), 0.0); // must be more than ε
        QCOMPARE(sinkShare(twoScores(0.31, 0.1, 0.9, 0.8), 0.5), 0.0);
        QVERIFY(std::isnan(sinkShare(HeadScores())));
    }

    void aboveBaseline() {
        HeadScore score;
        score.baseline = 0.2;
        score.score = 1.0;
        QCOMPARE(score.aboveBaseline(), 1.0);
        score.score = 0.2;
        QCOMPARE(score.aboveBaseline(), 0.0);
    }

    void bootstrapOfTenValues() {
        std::vector<double> values;
        for (int i = 0; i < 10; ++i)
            values.push_back(i);
        const auto mean = [&values](std::span<const std::size_t> drawn) {
            double sum = 0.0;
            for (const std::size_t draw : drawn)
                sum += values[draw];
            return sum / static_cast<double>(drawn.size());
        };
        const Interval interval = Bootstrap(10, 0).intervalOf(mean);
        // σ of the mean is 2.872 / √10 = 0.908; ± 1.96 σ around 4.5, within resampling error.
        QVERIFY(std::abs(interval.low - 2.72) < 0.25);
        QVERIFY(std::abs(interval.high - 6.28) < 0.25);
        QCOMPARE(Bootstrap(10, 0).intervalOf(mean).high, interval.high);
        values.back() = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(std::isnan(Bootstrap(10, 0).intervalOf(mean).low));
    }
};

const headscope::test::TestRegistration<TestHeadScore> registration;

} // namespace test_head_score

#include "test_head_score.moc"
