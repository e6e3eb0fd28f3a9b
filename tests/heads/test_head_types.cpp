#include "core/heads/head_type.h"
#include "core/heads/score_sequences.h"
#include "core/heads/types/registry.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace test_head_types {

using namespace headscope;
using headscope::test::kGiven;
using headscope::test::Pattern;
using headscope::test::repeatedIds;
using headscope::test::runWithPattern;
using headscope::test::scoresOfRun;
using headscope::test::showPatterns;
using Keys = std::vector<std::size_t>;

namespace {

constexpr std::size_t kPeriod = 6; // BOS + X + X: positions 0 … 12
constexpr std::size_t kLength = 2 * kPeriod + 1;

double uniform(std::size_t q, std::size_t) {
    return 1.0 / static_cast<double>(q + 1);
}
double onBos(std::size_t, std::size_t k) {
    return k == 0 ? 1.0 : 0.0;
}
/// All on the key `distance` back; what reaches before the start rests on position 0.
Pattern back(std::size_t distance) {
    return [distance](std::size_t q, std::size_t k) {
        return k == (q < distance ? 0 : q - distance) ? 1.0 : 0.0;
    };
}
/// Nothing on the key `distance` back, the rest spread evenly.
Pattern avoiding(std::size_t distance) {
    return [distance](std::size_t q, std::size_t k) {
        return k + distance == q ? 0.0 : 1.0 / static_cast<double>(q);
    };
}

std::optional<Measurement> measure(const Run& run, const InputSequence& sequence,
                                   const HeadType& type) {
    const auto meter = type.meter(run.model, sequence);
    if (!meter)
        return std::nullopt;
    showPatterns(run, *meter);
    return meter->measurement();
}

/// Those whose score is the mean attention on their targets.
constexpr HeadTypeId kTargetTypes[] = {HeadTypeId::Previous, HeadTypeId::Induction,
                                       HeadTypeId::Duplicate, HeadTypeId::Current,
                                       HeadTypeId::Sink};

Measurement measured(HeadTypeId id, const Pattern& pattern) {
    const InputSequence sequence{repeatedIds(kPeriod), true, kPeriod};
    return *measure(runWithPattern(sequence.ids, pattern), sequence, headType(id));
}

Thresholds zeroThresholds() {
    Thresholds thresholds;
    for (const HeadType& each : headTypes())
        thresholds.set(each.id, 0.0);
    return thresholds;
}

/// H_n = Σ 1/i
double harmonic(std::size_t n) {
    double sum = 0.0;
    for (std::size_t i = 1; i <= n; ++i)
        sum += 1.0 / static_cast<double>(i);
    return sum;
}

bool near(double found, double expected, double tolerance = 1e-7) {
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestHeadTypes : public QObject {
    Q_OBJECT

private slots:
    void displayOrder() {
        std::string letters;
        for (const HeadType& each : headTypes()) {
            letters += each.letter;
            QCOMPARE(&headType(each.id), &each);
            QVERIFY(headTypeByKey(each.key) == each.id);
        }
        QCOMPARE(letters, std::string("PIDCSZzNKVBMEWUQTrAXHGYJsypiOLRF"));
        QVERIFY(!headTypeByKey("Induction"));
    }

    /// What the published numbers of labelled heads were counted with.
    void countFromTheseScoresOn() {
        struct Expected {
            HeadTypeId id;
            InputKind input;
            double threshold;
        };
        constexpr Expected kExpected[] = {{HeadTypeId::Previous, InputKind::Repeats, 0.4},
                                          {HeadTypeId::Induction, InputKind::Repeats, 0.3},
                                          {HeadTypeId::Duplicate, InputKind::Repeats, 0.4},
                                          {HeadTypeId::Current, InputKind::Repeats, 0.5},
                                          {HeadTypeId::Sink, InputKind::Repeats, 0.45},
                                          {HeadTypeId::Dormant, InputKind::Repeats, 0.55},
                                          {HeadTypeId::WritesNothing, InputKind::Repeats, 0.99},
                                          {HeadTypeId::Next, InputKind::Repeats, 0.4},
                                          {HeadTypeId::Rare, InputKind::Sentences, 0.5},
                                          {HeadTypeId::SubjectVerb, InputKind::Sentences, 0.6},
                                          {HeadTypeId::VerbObject, InputKind::Sentences, 0.6},
                                          {HeadTypeId::Adverb, InputKind::Sentences, 0.75},
                                          {HeadTypeId::Coreference, InputKind::Sentences, 0.4},
                                          {HeadTypeId::WordClass, InputKind::Sentences, 0.5},
                                          {HeadTypeId::Punctuation, InputKind::Sentences, 0.5},
                                          {HeadTypeId::Quotation, InputKind::Sentences, 0.4},
                                          {HeadTypeId::Subword, InputKind::Sentences, 0.4},
                                          {HeadTypeId::Retrieval, InputKind::Needles, 0.4},
                                          {HeadTypeId::NameMover, InputKind::Names, 0.3},
                                          {HeadTypeId::NegativeNameMover, InputKind::Names, 0.3},
                                          {HeadTypeId::SInhibition, InputKind::Names, 0.3},
                                          {HeadTypeId::DuplicateName, InputKind::Names, 0.3},
                                          {HeadTypeId::Copying, InputKind::Repeats, 0.235},
                                          {HeadTypeId::CopySuppression, InputKind::Repeats, 0.235},
                                          {HeadTypeId::Successor, InputKind::Ordinals, 0.5},
                                          {HeadTypeId::CopyingWeights, InputKind::Weights, 0.5},
                                          {HeadTypeId::PreviousWeights, InputKind::Weights, 0.5},
                                          {HeadTypeId::InductionWeights, InputKind::Weights, 0.3},
                                          {HeadTypeId::Positional, InputKind::Distinct, 0.9},
                                          {HeadTypeId::Local, InputKind::Sentences, 0.6},
                                          {HeadTypeId::LongRange, InputKind::Sentences, 0.7},
                                          {HeadTypeId::Diffuse, InputKind::Sentences, 0.85}};
        QCOMPARE(headTypes().size(), std::size(kExpected));
        for (std::size_t i = 0; i < std::size(kExpected); ++i) {
            const HeadType& type = headTypes()[i];
            QVERIFY(type.id == kExpected[i].id);
            QVERIFY2(type.input == kExpected[i].input, std::string(type.key).c_str());
            QCOMPARE(type.threshold, kExpected[i].threshold);
            QCOMPARE(type.looks_ahead, type.id == HeadTypeId::Next);
            QCOMPARE(type.also_on_sentences, type.id == HeadTypeId::Previous);
        }
    }

    void occurrencesWithPeriod() {
        const InputSequence x{repeatedIds(3), true, 3}; // 0 | 1 2 3 | 4 5 6
        for (std::size_t q = 0; q <= 3; ++q)
            QCOMPARE(earlierOccurrences(x, q), Keys{});
        QCOMPARE(earlierOccurrences(x, 4), Keys{1});
        QCOMPARE(earlierOccurrences(x, 6), Keys{3});
        const InputSequence without_bos{repeatedIds(3, false), false, 3}; // 0 1 2 | 3 4 5
        QCOMPARE(earlierOccurrences(without_bos, 2), Keys{});
        QCOMPARE(earlierOccurrences(without_bos, 3), Keys{0});
    }

    void occurrencesByTokenMatching() {
        // BOS a b a a b, and BOS once more
        const InputSequence x{{0, 7, 8, 7, 7, 8, 0}, true, std::nullopt};
        QCOMPARE(earlierOccurrences(x, 2), Keys{});
        QCOMPARE(earlierOccurrences(x, 3), Keys{1});
        QCOMPARE(earlierOccurrences(x, 4), (Keys{1, 3}));
        QCOMPARE(earlierOccurrences(x, 6), Keys{}); // position 0 is no content
        const InputSequence without_bos{x.ids, false, std::nullopt};
        QCOMPARE(earlierOccurrences(without_bos, 6), Keys{0});
    }

    // Even heads on BOS a b a a b: a at 3 sees one target of 4 keys, a at 4 two of 5, b at 5 one
    // of 6.
    void inductionByTokenMatching() {
        const InputSequence x{{0, 7, 8, 7, 7, 8}, true, std::nullopt};
        const auto found =
            measure(runWithPattern(x.ids, uniform), x, headType(HeadTypeId::Induction));
        QCOMPARE(found->rows, 3.0);
        QVERIFY(near(found->heads[kGiven].score, (1.0 / 4.0 + 2.0 / 5.0 + 1.0 / 6.0) / 3.0));
    }

    void perfect_data() {
        QTest::addColumn<int>("id");
        QTest::addColumn<std::size_t>("distance");
        QTest::newRow("previous") << int(HeadTypeId::Previous) << std::size_t{1};
        QTest::newRow("induction") << int(HeadTypeId::Induction) << kPeriod - 1;
        QTest::newRow("duplicate") << int(HeadTypeId::Duplicate) << kPeriod;
        QTest::newRow("current") << int(HeadTypeId::Current) << std::size_t{0};
        QTest::newRow("sink") << int(HeadTypeId::Sink) << kLength;
    }
    void perfect() {
        QFETCH(int, id);
        QFETCH(std::size_t, distance);
        for (const HeadTypeId each : kTargetTypes) {
            const Measurement found = measured(each, back(distance));
            if (each == HeadTypeId(id)) {
                QVERIFY(near(found.heads[kGiven].score, 1.0));
                QVERIFY(near(found.heads[kGiven].variant, 1.0));
            } else {
                QVERIFY(found.heads[kGiven].score <= 0.5);
            }
        }
    }

    void inverted_data() {
        QTest::addColumn<int>("id");
        QTest::addColumn<std::size_t>("distance");
        QTest::newRow("previous") << int(HeadTypeId::Previous) << std::size_t{1};
        QTest::newRow("induction") << int(HeadTypeId::Induction) << kPeriod - 1;
        QTest::newRow("duplicate") << int(HeadTypeId::Duplicate) << kPeriod;
        QTest::newRow("current") << int(HeadTypeId::Current) << std::size_t{0};
    }
    void inverted() {
        QFETCH(int, id);
        QFETCH(std::size_t, distance);
        QCOMPARE(measured(HeadTypeId(id), avoiding(distance)).heads[kGiven].score, 0.0);
        QCOMPARE(measured(HeadTypeId::Sink, back(0)).heads[kGiven].score, 0.0);
    }

    void uniformIsTheBaseline() {
        for (const HeadTypeId each : kTargetTypes) {
            const Measurement found = measured(each, uniform);
            QVERIFY(near(found.heads[kGiven].score, found.heads[kGiven].baseline));
            QVERIFY(found.heads[kGiven].baseline > 0.0 && found.heads[kGiven].baseline < 1.0);
        }
    }

    // Diagonals taken whole contain (L, 1) and (L−1, 0), where a head that rests on BOS leaks in.
    void sinkDoesNotLeak() {
        QCOMPARE(measured(HeadTypeId::Induction, onBos).heads[kGiven].score, 0.0);
        QCOMPARE(measured(HeadTypeId::Duplicate, onBos).heads[kGiven].score, 0.0);
        const Pattern on_first_token = [](std::size_t q, std::size_t k) {
            return k == std::min<std::size_t>(q, 1) ? 1.0 : 0.0;
        };
        QCOMPARE(measured(HeadTypeId::Induction, on_first_token).heads[kGiven].score, 0.0);
    }

    void rowOneIsPreviousAndSink() {
        const Measurement found = measured(HeadTypeId::Previous, onBos);
        QVERIFY(near(found.heads[kGiven].score, 1.0 / (2.0 * kPeriod)));
        QCOMPARE(found.heads[kGiven].variant, 0.0);
    }

    void baselineClosedForms_data() {
        QTest::addColumn<std::size_t>("period");
        QTest::addColumn<double>("previous");
        QTest::addColumn<double>("induction");
        // Values of 1/(L) Σ 1/(q+1), to four digits; T = 2L + 1.
        QTest::newRow("L = 25") << std::size_t{25} << 0.0 << 0.0266;
        QTest::newRow("L = 50") << std::size_t{50} << 0.0420 << 0.0136;
        QTest::newRow("L = 100") << std::size_t{100} << 0.0244 << 0.0069;
    }
    void baselineClosedForms() {
        QFETCH(std::size_t, period);
        QFETCH(double, previous);
        QFETCH(double, induction);
        const InputSequence x{repeatedIds(period), true, period};
        const Run run = runWithPattern(x.ids, uniform);
        const auto baseline = [&](HeadTypeId id) {
            return measure(run, x, headType(id))->heads[kGiven].baseline;
        };
        const auto length = static_cast<double>(period);
        const double copies = (harmonic(2 * period + 1) - harmonic(period + 1)) / length;
        const double rows = (harmonic(2 * period + 1) - 1.0) / (2.0 * length);
        QVERIFY(near(baseline(HeadTypeId::Induction), copies, 1e-12));
        QVERIFY(near(baseline(HeadTypeId::Duplicate), copies, 1e-12));
        QVERIFY(near(baseline(HeadTypeId::Previous), rows, 1e-12));
        QVERIFY(near(baseline(HeadTypeId::Current), rows, 1e-12));
        QVERIFY(near(baseline(HeadTypeId::Sink), rows, 1e-12));
        QVERIFY(near(copies, induction, 5e-5));
        if (previous > 0.0)
            QVERIFY(near(rows, previous, 5e-5));
    }

    void baselineOfPreviousAt128() {
        const InputSequence x{TokenIds(128, 5), true, std::nullopt};
        const Run run = runWithPattern(x.ids, uniform);
        QVERIFY(near(measure(run, x, headType(HeadTypeId::Previous))->heads[kGiven].baseline,
                     0.0349, 5e-5));
    }

    void baselineOfWindow() {
        constexpr std::size_t window = 4;
        const InputSequence x{repeatedIds(kPeriod), true, kPeriod};
        const Run run = runWithPattern(x.ids, uniform, true, window);
        const auto baseline = [&](HeadTypeId id) {
            return measure(run, x, headType(id))->heads[kGiven].baseline;
        };
        // Rows 1, 2 and 3 see 2, 3 and 4 keys, as do the rest; only those three see BOS.
        const double first = 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0;
        const double rows = 2.0 * kPeriod;
        QVERIFY(near(baseline(HeadTypeId::Sink), first / rows, 1e-12));
        QVERIFY(near(baseline(HeadTypeId::Previous), (first + (rows - 3.0) / 4.0) / rows, 1e-12));
        QCOMPARE(baseline(HeadTypeId::Induction), 0.0); // out of sight
    }

    void baselineOfBidirectionalModel() {
        const InputSequence x{repeatedIds(kPeriod), true, kPeriod};
        const Pattern spread = [](std::size_t, std::size_t) { return 1.0 / double{kLength}; };
        const Run run = runWithPattern(x.ids, spread, false);
        for (const HeadTypeId each : kTargetTypes) {
            const Measurement found = *measure(run, x, headType(each));
            QVERIFY(near(found.heads[kGiven].baseline, 1.0 / double{kLength}, 1e-12));
            QVERIFY(near(found.heads[kGiven].score, found.heads[kGiven].baseline));
        }
    }

    void undefinedWithoutRepeat() {
        const InputSequence x{{0, 1, 2, 3}, true, std::nullopt};
        const Run run = runWithPattern(x.ids, uniform);
        QVERIFY(!measure(run, x, headType(HeadTypeId::Induction)));
        QVERIFY(measure(run, x, headType(HeadTypeId::Previous)));

        const HeadScores scores = scoresOfRun(run, true);
        QVERIFY(std::isnan(scores.at(HeadTypeId::Induction, kGiven).score));
        const auto found = labels(scores, kGiven, zeroThresholds());
        QVERIFY(std::ranges::find(found, HeadTypeId::Induction) == found.end());
    }

    void ownPrompt() {
        // BOS a b a b: each of the last two rows has one earlier occurrence.
        const Run run = runWithPattern({0, 1, 2, 1, 2}, back(1));
        const HeadScores scores = scoresOfRun(run, true);
        const HeadScore& induction = scores.at(HeadTypeId::Induction, kGiven);
        QCOMPARE(induction.score, 1.0); // with a period of two, one back is the token after
        QCOMPARE(induction.low, induction.score);
        QCOMPARE(induction.high, induction.score);
        const MeasuredOn& measured_on = scores.measuredOn(HeadTypeId::Induction);
        QCOMPARE(measured_on.sequences, std::size_t{1});
        QCOMPARE(measured_on.input, std::string("this prompt of 5 tokens"));
        QCOMPARE(measured_on.bos, std::string("with BOS (id 0)"));
        QCOMPARE(scoresOfRun(run, false).measured_on[0].bos, std::string("without BOS"));
    }

    void oneToken() {
        const HeadScores scores = scoresOfRun(runWithPattern({3}, uniform), false);
        for (const HeadScore& score : scores.scores)
            QVERIFY(std::isnan(score.score) && std::isnan(score.low));
        QVERIFY(labels(scores, kGiven, {}).empty());
    }

    void nonFiniteHeadsGetNoLabel() {
        const Pattern broken = [](std::size_t, std::size_t) {
            return std::numeric_limits<double>::quiet_NaN();
        };
        const HeadScores scores = scoresOfRun(runWithPattern(repeatedIds(4), broken), true);
        for (const HeadScore& score : scores.scores)
            QVERIFY(score.head != kGiven || std::isnan(score.score));
        for (const HeadTypeId id : kTargetTypes)
            QVERIFY(!std::isnan(scores.at(id, kGiven).baseline));
        QVERIFY(labels(scores, kGiven, zeroThresholds()).empty());
    }
};

const headscope::test::TestRegistration<TestHeadTypes> registration;

} // namespace test_head_types

#include "test_head_types.moc"
