#include "core/analysis/detectors/detector.h"
#include "core/analysis/measure.h"
#include "core/analysis/score_heads.h"
#include "tests/analysis/pattern_run.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace headscope;
using headscope::test::Pattern;
using headscope::test::repeatedIds;
using headscope::test::runWithPattern;
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

std::optional<Measurement> measure(const Run& run, const ProbeSequence& sequence,
                                   const Detector& detector) {
    TargetAttention attention(run.model->spec, sequence);
    PatternObserver* const observer = &attention;
    run.observePatterns({&observer, 1});
    return attention.measurement(detector.id);
}

Measurement measured(DetectorId id, const Pattern& pattern) {
    const ProbeSequence sequence{repeatedIds(kPeriod), true, kPeriod};
    return *measure(runWithPattern(sequence.ids, pattern), sequence, detector(id));
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

class TestDetectors : public QObject {
    Q_OBJECT

private slots:
    void displayOrder() {
        std::string letters;
        for (const Detector& each : detectors()) {
            letters += each.letter;
            QCOMPARE(&detector(each.id), &each);
            QVERIFY(detectorByKey(each.key) == each.id);
        }
        QCOMPARE(letters, std::string("PIDCS"));
        QVERIFY(!detectorByKey("Induction"));
    }

    void targetsWithPeriod() {
        const ProbeSequence x{repeatedIds(3), true, 3}; // 0 | 1 2 3 | 4 5 6
        const auto keys = [&](DetectorId id, std::size_t q) { return detector(id).targets(x, q); };
        for (std::size_t q = 0; q <= 3; ++q) {
            QCOMPARE(keys(DetectorId::Induction, q), Keys{});
            QCOMPARE(keys(DetectorId::Duplicate, q), Keys{});
        }
        QCOMPARE(keys(DetectorId::Induction, 4), Keys{2});
        QCOMPARE(keys(DetectorId::Induction, 6), Keys{4});
        QCOMPARE(keys(DetectorId::Duplicate, 4), Keys{1});
        QCOMPARE(keys(DetectorId::Duplicate, 6), Keys{3});
        QCOMPARE(keys(DetectorId::Previous, 1), Keys{0});
        QCOMPARE(keys(DetectorId::Current, 1), Keys{1});
        QCOMPARE(keys(DetectorId::Sink, 6), Keys{0});
        for (const Detector& each : detectors())
            QCOMPARE(each.targets(x, 0), Keys{});
    }

    void targetsWithPeriodAndWithoutBos() {
        const ProbeSequence x{repeatedIds(3, false), false, 3}; // 0 1 2 | 3 4 5
        QCOMPARE(detector(DetectorId::Induction).targets(x, 2), Keys{});
        QCOMPARE(detector(DetectorId::Induction).targets(x, 3), Keys{1});
        QCOMPARE(detector(DetectorId::Duplicate).targets(x, 3), Keys{0});
    }

    void targetsByTokenMatching() {
        // BOS a b a a b, and BOS once more
        const ProbeSequence x{{0, 7, 8, 7, 7, 8, 0}, true, std::nullopt};
        const auto induction = detector(DetectorId::Induction).targets;
        const auto duplicate = detector(DetectorId::Duplicate).targets;
        QCOMPARE(duplicate(x, 2), Keys{});
        QCOMPARE(duplicate(x, 3), Keys{1});
        QCOMPARE(duplicate(x, 4), (Keys{1, 3}));
        QCOMPARE(induction(x, 4), (Keys{2, 4}));
        QCOMPARE(induction(x, 5), Keys{3});
        QCOMPARE(duplicate(x, 6), Keys{}); // position 0 is no content
        const ProbeSequence without_bos{x.ids, false, std::nullopt};
        QCOMPARE(duplicate(without_bos, 6), Keys{0});
    }

    void perfect_data() {
        QTest::addColumn<int>("id");
        QTest::addColumn<std::size_t>("distance");
        QTest::newRow("previous") << int(DetectorId::Previous) << std::size_t{1};
        QTest::newRow("induction") << int(DetectorId::Induction) << kPeriod - 1;
        QTest::newRow("duplicate") << int(DetectorId::Duplicate) << kPeriod;
        QTest::newRow("current") << int(DetectorId::Current) << std::size_t{0};
        QTest::newRow("sink") << int(DetectorId::Sink) << kLength;
    }
    void perfect() {
        QFETCH(int, id);
        QFETCH(std::size_t, distance);
        for (const Detector& each : detectors()) {
            const Measurement found = measured(each.id, back(distance));
            if (each.id == DetectorId(id)) {
                QVERIFY(near(found.score[0], 1.0));
                QVERIFY(near(found.score_from_row_2[0], 1.0));
            } else {
                QVERIFY(found.score[0] <= 0.5);
            }
        }
    }

    void inverted_data() {
        QTest::addColumn<int>("id");
        QTest::addColumn<std::size_t>("distance");
        QTest::newRow("previous") << int(DetectorId::Previous) << std::size_t{1};
        QTest::newRow("induction") << int(DetectorId::Induction) << kPeriod - 1;
        QTest::newRow("duplicate") << int(DetectorId::Duplicate) << kPeriod;
        QTest::newRow("current") << int(DetectorId::Current) << std::size_t{0};
    }
    void inverted() {
        QFETCH(int, id);
        QFETCH(std::size_t, distance);
        QCOMPARE(measured(DetectorId(id), avoiding(distance)).score[0], 0.0);
        QCOMPARE(measured(DetectorId::Sink, back(0)).score[0], 0.0);
    }

    void uniformIsChance() {
        for (const Detector& each : detectors()) {
            const Measurement found = measured(each.id, uniform);
            QVERIFY(near(found.score[0], found.chance[0]));
            QVERIFY(found.chance[0] > 0.0 && found.chance[0] < 1.0);
        }
    }

    // Diagonals taken whole contain (L, 1) and (L−1, 0), where a head that rests on BOS leaks in.
    void sinkDoesNotLeak() {
        QCOMPARE(measured(DetectorId::Induction, onBos).score[0], 0.0);
        QCOMPARE(measured(DetectorId::Duplicate, onBos).score[0], 0.0);
        const Pattern on_first_token = [](std::size_t q, std::size_t k) {
            return k == std::min<std::size_t>(q, 1) ? 1.0 : 0.0;
        };
        QCOMPARE(measured(DetectorId::Induction, on_first_token).score[0], 0.0);
    }

    void rowOneIsPreviousAndSink() {
        const Measurement found = measured(DetectorId::Previous, onBos);
        QVERIFY(near(found.score[0], 1.0 / (2.0 * kPeriod)));
        QCOMPARE(found.score_from_row_2[0], 0.0);
    }

    void chanceClosedForms_data() {
        QTest::addColumn<std::size_t>("period");
        QTest::addColumn<double>("previous");
        QTest::addColumn<double>("induction");
        // Values of 1/(L) Σ 1/(q+1), to four digits; T = 2L + 1.
        QTest::newRow("L = 25") << std::size_t{25} << 0.0 << 0.0266;
        QTest::newRow("L = 50") << std::size_t{50} << 0.0420 << 0.0136;
        QTest::newRow("L = 100") << std::size_t{100} << 0.0244 << 0.0069;
    }
    void chanceClosedForms() {
        QFETCH(std::size_t, period);
        QFETCH(double, previous);
        QFETCH(double, induction);
        const ProbeSequence x{repeatedIds(period), true, period};
        const Run run = runWithPattern(x.ids, uniform);
        const auto chance = [&](DetectorId id) { return measure(run, x, detector(id))->chance[0]; };
        const auto length = static_cast<double>(period);
        const double copies = (harmonic(2 * period + 1) - harmonic(period + 1)) / length;
        const double rows = (harmonic(2 * period + 1) - 1.0) / (2.0 * length);
        QVERIFY(near(chance(DetectorId::Induction), copies, 1e-12));
        QVERIFY(near(chance(DetectorId::Duplicate), copies, 1e-12));
        QVERIFY(near(chance(DetectorId::Previous), rows, 1e-12));
        QVERIFY(near(chance(DetectorId::Current), rows, 1e-12));
        QVERIFY(near(chance(DetectorId::Sink), rows, 1e-12));
        QVERIFY(near(copies, induction, 5e-5));
        if (previous > 0.0)
            QVERIFY(near(rows, previous, 5e-5));
    }

    void chanceOfPreviousAt128() {
        const ProbeSequence x{TokenIds(128, 5), true, std::nullopt};
        const Run run = runWithPattern(x.ids, uniform);
        QVERIFY(near(measure(run, x, detector(DetectorId::Previous))->chance[0], 0.0349, 5e-5));
    }

    void chanceOfWindow() {
        constexpr std::size_t window = 4;
        const ProbeSequence x{repeatedIds(kPeriod), true, kPeriod};
        const Run run = runWithPattern(x.ids, uniform, true, window);
        const auto chance = [&](DetectorId id) { return measure(run, x, detector(id))->chance[0]; };
        // Rows 1, 2 and 3 see 2, 3 and 4 keys, as do the rest; only those three see BOS.
        const double first = 1.0 / 2.0 + 1.0 / 3.0 + 1.0 / 4.0;
        const double rows = 2.0 * kPeriod;
        QVERIFY(near(chance(DetectorId::Sink), first / rows, 1e-12));
        QVERIFY(near(chance(DetectorId::Previous), (first + (rows - 3.0) / 4.0) / rows, 1e-12));
        QCOMPARE(chance(DetectorId::Induction), 0.0); // out of sight
    }

    void chanceOfBidirectionalModel() {
        const ProbeSequence x{repeatedIds(kPeriod), true, kPeriod};
        const Pattern spread = [](std::size_t, std::size_t) { return 1.0 / double{kLength}; };
        const Run run = runWithPattern(x.ids, spread, false);
        for (const Detector& each : detectors()) {
            const Measurement found = *measure(run, x, each);
            QVERIFY(near(found.chance[0], 1.0 / double{kLength}, 1e-12));
            QVERIFY(near(found.score[0], found.chance[0]));
        }
    }

    void undefinedWithoutRepeat() {
        const ProbeSequence x{{0, 1, 2, 3}, true, std::nullopt};
        const Run run = runWithPattern(x.ids, uniform);
        QVERIFY(!measure(run, x, detector(DetectorId::Induction)));
        QVERIFY(measure(run, x, detector(DetectorId::Previous)));

        const HeadScores scores = scoreRun(run, true);
        QVERIFY(std::isnan(scores.at(DetectorId::Induction, {0, 0}).score));
        const auto found = labels(scores, {0, 0}, Thresholds{0, 0, 0, 0, 0});
        QVERIFY(std::ranges::find(found, DetectorId::Induction) == found.end());
    }

    void ownPrompt() {
        // BOS a b a b: each of the last two rows has one earlier occurrence.
        const Run run = runWithPattern({0, 1, 2, 1, 2}, back(1));
        const HeadScores scores = scoreRun(run, true);
        const HeadScore& induction = scores.at(DetectorId::Induction, {0, 0});
        QCOMPARE(induction.score, 1.0); // with a period of two, one back is the token after
        QCOMPARE(induction.low, induction.score);
        QCOMPARE(induction.high, induction.score);
        QCOMPARE(scores.sequences, std::size_t{1});
        QCOMPARE(scores.input, std::string("this prompt of 5 tokens"));
        QCOMPARE(scores.bos, std::string("with BOS (id 0)"));
        QCOMPARE(scoreRun(run, false).bos, std::string("without BOS"));
    }

    void oneToken() {
        const HeadScores scores = scoreRun(runWithPattern({3}, uniform), false);
        for (const HeadScore& score : scores.scores)
            QVERIFY(std::isnan(score.score) && std::isnan(score.low));
        QVERIFY(labels(scores, {0, 0}, {}).empty());
    }

    void nonFiniteHeadsGetNoLabel() {
        const Pattern broken = [](std::size_t, std::size_t) {
            return std::numeric_limits<double>::quiet_NaN();
        };
        const HeadScores scores = scoreRun(runWithPattern(repeatedIds(4), broken), true);
        for (const HeadScore& score : scores.scores)
            QVERIFY(std::isnan(score.score) && !std::isnan(score.chance));
        QVERIFY(labels(scores, {0, 0}, Thresholds{0, 0, 0, 0, 0}).empty());
    }
};

QTEST_GUILESS_MAIN(TestDetectors)
#include "test_detectors.moc"
