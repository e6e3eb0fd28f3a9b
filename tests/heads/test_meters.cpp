// Types that are more than attention on given keys: perfect, even and inverted heads.

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/model/random_model.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <numeric>

namespace test_meters {

using namespace headscope;
using headscope::test::kGiven;
using headscope::test::Pattern;
using headscope::test::runWithPattern;
using headscope::test::showPatterns;

namespace {

constexpr std::size_t kLength = 40;

/// Ids that only grow: the query's own token is the rarest in sight.
TokenIds growing() {
    TokenIds ids;
    for (std::size_t i = 0; i < kLength; ++i)
        ids.push_back(static_cast<TokenId>(i));
    return ids;
}

double even(std::size_t q, std::size_t) {
    return 1.0 / static_cast<double>(q + 1);
}
/// All on the key `distance` back, or on position 0.
Pattern back(std::size_t distance) {
    return [distance](std::size_t q, std::size_t k) {
        return k == (q < distance ? 0 : q - distance) ? 1.0 : 0.0;
    };
}
/// `share` on position 0, the rest one back.
Pattern restingOnFirst(double share) {
    return [share](std::size_t q, std::size_t k) {
        if (q == 0)
            return 1.0;
        return (k == 0 ? share : 0.0) + (k + 1 == q ? 1.0 - share : 0.0);
    };
}

Measurement measured(HeadTypeId id, const Pattern& pattern, bool causal = true,
                     const TokenIds& ids = growing()) {
    const InputSequence sequence{ids, true, std::nullopt};
    const Run run = runWithPattern(sequence.ids, pattern, causal);
    const auto meter = headType(id).meter(run.model, sequence);
    showPatterns(run, *meter);
    return meter->measurement();
}

bool near(double found, double expected, double tolerance = 1e-6) {
    if (std::abs(found - expected) <= tolerance)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestMeters : public QObject {
    Q_OBJECT

private slots:
    void localSharesTheContent() {
        QVERIFY(near(measured(HeadTypeId::Local, back(2)).heads[kGiven].score, 1.0));
        QVERIFY(near(measured(HeadTypeId::Local, back(4)).heads[kGiven].score, 0.0));
        const Measurement found = measured(HeadTypeId::Local, even);
        QVERIFY(near(found.heads[kGiven].score, found.heads[kGiven].baseline));
        // The half that rests on position 0 is not content; the second reading counts it.
        const Measurement resting = measured(HeadTypeId::Local, restingOnFirst(0.5));
        QVERIFY(near(resting.heads[kGiven].score, 1.0));
        QVERIFY(near(resting.heads[kGiven].variant, 0.5));
        QVERIFY(near(resting.heads[kGiven].weight, 0.5 * resting.rows));
    }

    void localLooksBothWaysWhereTheNetworkDoes() {
        const Pattern ahead = [](std::size_t q, std::size_t k) {
            return k == std::min(q + 2, kLength - 1) ? 1.0 : 0.0;
        };
        QVERIFY(near(measured(HeadTypeId::Local, ahead, false).heads[kGiven].score, 1.0));
    }

    /// One back lies in sight of every query but the first, among all keys that it sees.
    void anyOffsetIsFoundByChance() {
        double chance = 0.0;
        for (std::size_t q = 1; q < kLength; ++q)
            chance += 1.0 / static_cast<double>(q + 1) / (kLength - 1);
        QVERIFY(
            near(measured(HeadTypeId::Positional, back(1)).heads[kGiven].baseline, chance, 1e-12));
    }

    void positionZeroAsksForNoDistance() {
        // It looks at the last token, all others at themselves.
        const Pattern first_looks_far = [](std::size_t q, std::size_t k) {
            return k == (q == 0 ? kLength - 1 : q) ? 1.0 : 0.0;
        };
        QVERIFY(
            near(measured(HeadTypeId::LongRange, first_looks_far, false).heads[kGiven].score, 0.0));
        const InputSequence two{{0, 1}, true, std::nullopt};
        const Run run = runWithPattern(two.ids, even);
        QVERIFY(!headType(HeadTypeId::LongRange).meter(run.model, two));
    }

    /// A row counts by what its head's learned sink leaves of it, and as if that were all.
    void spreadIsOfWhatALearnedSinkLeaves() {
        const InputSequence sequence{growing(), true, std::nullopt};
        // Even over a tenth of each odd row, and all of each even row on one key.
        const Pattern pattern = [](std::size_t q, std::size_t k) {
            if (q % 2 == 1)
                return 0.1 * even(q, k);
            return k == q ? 1.0 : 0.0;
        };
        Run run = runWithPattern(sequence.ids, pattern);
        auto model = std::make_shared<Model>(*run.model);
        model->spec.learned_sinks = true;
        run.model = model;
        const auto meter = headType(HeadTypeId::Diffuse).meter(run.model, sequence);
        showPatterns(run, *meter);
        const double odd = 0.1 * kLength / 2;     // of rows 1, 3, …, each of them even
        const double even_rows = kLength / 2 - 1; // of rows 2, 4, …; row 0 sees one key
        QVERIFY(near(meter->measurement().heads[kGiven].score, odd / (odd + even_rows)));
    }

    void distanceOfEvenHeadIsHalf() {
        const Measurement found = measured(HeadTypeId::LongRange, even);
        QVERIFY(near(found.heads[kGiven].score, found.heads[kGiven].baseline));
        QVERIFY(near(found.heads[kGiven].baseline, 0.5, 1e-2));
        const Pattern farthest = [](std::size_t q, std::size_t k) {
            return k == std::min<std::size_t>(q, 1) ? 1.0 : 0.0;
        };
        QVERIFY(near(measured(HeadTypeId::LongRange, farthest).heads[kGiven].score, 1.0));
        QVERIFY(near(measured(HeadTypeId::LongRange, back(0)).heads[kGiven].score, 0.0));
        // One back, with half of it on position 0: that half counts in the second reading only.
        const Measurement resting = measured(HeadTypeId::LongRange, restingOnFirst(0.5));
        QVERIFY(resting.heads[kGiven].score < 0.1);
        QVERIFY(resting.heads[kGiven].variant > 0.4);
    }

    void entropyOfEvenHeadIsOne() {
        QVERIFY(near(measured(HeadTypeId::Diffuse, even).heads[kGiven].score, 1.0));
        QVERIFY(near(measured(HeadTypeId::Diffuse, back(1)).heads[kGiven].score, 0.0));
        // Two keys share each row: ln 2 / ln(q + 1), q ≥ 1; in row 1 they are all there are.
        const Pattern halves = [](std::size_t q, std::size_t k) {
            return q == 0 ? 1.0 : k == q || k + 1 == q ? 0.5 : 0.0;
        };
        double expected = 0.0;
        for (std::size_t q = 1; q < kLength; ++q)
            expected += std::log(2.0) / std::log(static_cast<double>(q + 1));
        QVERIFY(near(measured(HeadTypeId::Diffuse, halves).heads[kGiven].score,
                     expected / static_cast<double>(kLength - 1)));
    }

    /// Where little is left beside position 0, 1 − A[q, 0] is off by 0.3 % in float32.
    void littleContentIsSharedExactly() {
        constexpr double kRest = 1e-5;
        QVERIFY(near(measured(HeadTypeId::Local, restingOnFirst(1.0 - kRest)).heads[kGiven].score,
                     1.0));
        const Pattern halves = [](std::size_t q, std::size_t k) {
            if (q < 2)
                return k == 0 ? 1.0 : 0.0;
            return k == 0 ? 1.0 - kRest : k == q || k + 1 == q ? 0.5 * kRest : 0.0;
        };
        double expected = 0.0; // two of the q keys off position 0
        for (std::size_t q = 2; q < kLength; ++q)
            expected += std::log(2.0) / std::log(static_cast<double>(q));
        QVERIFY(near(measured(HeadTypeId::Diffuse, halves).heads[kGiven].variant,
                     expected / static_cast<double>(kLength - 2)));
    }

    /// What is left beside position 0 is rounding, of which there is no share.
    void nothingIsSharedByAHeadThatRests() {
        const Pattern resting = [](std::size_t q, std::size_t k) {
            if (k == 0)
                return 1.0 - std::numeric_limits<float>::epsilon() / 2.0;
            return k + 1 == q ? 1e-7 : k == q ? 2e-8 : 0.0;
        };
        QCOMPARE(measured(HeadTypeId::Local, resting).heads[kGiven].score, 0.0);
        QCOMPARE(measured(HeadTypeId::LongRange, resting).heads[kGiven].score, 0.0);
        QVERIFY(std::isnan(measured(HeadTypeId::Diffuse, resting).heads[kGiven].variant));
    }

    void positionalIsOneOffset() {
        for (const std::size_t distance : {1u, 3u, 20u}) {
            const Measurement found = measured(HeadTypeId::Positional, back(distance));
            QVERIFY(
                near(found.heads[kGiven].score, 1.0)); // rows that cannot see so far do not count
            QVERIFY(near(found.heads[kGiven].variant, -static_cast<double>(distance)));
        }
        const Pattern next = [](std::size_t q, std::size_t k) {
            return k == std::min(q + 1, kLength - 1) ? 1.0 : 0.0;
        };
        const Measurement ahead = measured(HeadTypeId::Positional, next, false);
        QVERIFY(near(ahead.heads[kGiven].score, 1.0) && near(ahead.heads[kGiven].variant, 1.0));
        QVERIFY(near(measured(HeadTypeId::Positional, back(0)).heads[kGiven].score,
                     0.0)); // another type
        // It hits each offset in one of the rows that reach it, of which there are ten at least.
        const Pattern resting = restingOnFirst(0.9);
        QVERIFY(near(measured(HeadTypeId::Positional, resting).heads[kGiven].score, 0.1));
    }

    /// Of keys so far back that hardly a row sees them, nothing can be said.
    void offsetsOfFewRowsAreNotRead() {
        const Measurement found = measured(HeadTypeId::Positional, back(35));
        QVERIFY(found.heads[kGiven].score < 0.2);
    }

    /// In a repeat, heads that compare tokens look at a fixed distance, too.
    void matchesOfTokensAreNoOffset() {
        constexpr std::size_t kPeriod = 20;
        for (const std::size_t distance : {kPeriod - 1, kPeriod})
            QVERIFY(measured(HeadTypeId::Positional, back(distance), true,
                             headscope::test::repeatedIds(kPeriod))
                        .heads[kGiven]
                        .score < 0.2);
        QVERIFY(near(
            measured(HeadTypeId::Positional, back(7), true, headscope::test::repeatedIds(kPeriod))
                .heads[kGiven]
                .score,
            1.0));
    }

    /// Of rows that look at a match nothing is counted, in the baseline neither.
    void theBaselineIsOfTheRowsThatAreRead() {
        const TokenIds ids{5, 5, 5, 5, 5, 5, 5, 9, 10, 11, 12};
        const Measurement found = measured(HeadTypeId::Positional, back(1), true, ids);
        QVERIFY(near(found.heads[kGiven].score, 1.0));
        QVERIFY(near(found.heads[kGiven].baseline, (1.0 / 8 + 1.0 / 9 + 1.0 / 10 + 1.0 / 11) / 4.0,
                     1e-12));
    }

    /// A text without an offset to read takes nothing from what others say.
    void textsWithoutAnOffsetDoNotCount() {
        const auto model = headscope::test::loadFixture("gpt2");
        TokenIds telling(20);
        std::iota(telling.begin(), telling.end(), TokenId{1});
        const auto scoresOn = [&](const std::vector<InputSequence>& sequences) {
            return headscope::test::require(scoreSequences(model, sequences, "texts"));
        };
        const InputSequence silent{TokenIds(6, TokenId{5}), false};
        const HeadScores alone = scoresOn({{telling, false}});
        const HeadScores beside = scoresOn({silent, {telling, false}, silent});
        for (const LayerHead head : model->spec.allHeads()) {
            const HeadScore& expected = alone.at(HeadTypeId::Positional, head);
            const HeadScore& found = beside.at(HeadTypeId::Positional, head);
            QVERIFY(std::isfinite(expected.score));
            QCOMPARE(found.score, expected.score);
            QCOMPARE(found.variant, expected.variant);
        }
        QVERIFY(std::isnan(scoresOn({silent}).at(HeadTypeId::Positional, {0, 0}).score));
    }

    void rareTokenIsFound() {
        TokenIds ids = growing();
        ids[5] = 1000; // the rarest of all from position 5 on
        const Pattern on_5 = [](std::size_t q, std::size_t k) {
            return k == (q < 5 ? q : 5) ? 1.0 : 0.0;
        };
        const Measurement found = measured(HeadTypeId::Rare, on_5, true, ids);
        QCOMPARE(found.rows, static_cast<double>(kLength - 6)); // up to 5 each token is the rarest
        QVERIFY(near(found.heads[kGiven].score, 1.0));
        QVERIFY(near(measured(HeadTypeId::Rare, back(1), true, ids).heads[kGiven].score,
                     1.0 / (kLength - 6)));
        QVERIFY(near(measured(HeadTypeId::Rare, back(0), true, ids).heads[kGiven].score, 0.0));
        // Baseline: any of the q keys off position 0, q ≥ 6.
        double baseline = 0.0;
        for (std::size_t q = 6; q < kLength; ++q)
            baseline += 1.0 / static_cast<double>(q);
        QVERIFY(near(measured(HeadTypeId::Rare, even, true, ids).heads[kGiven].baseline,
                     baseline / static_cast<double>(kLength - 6)));
    }

    // Of 1000 positions every eighth is read, and the scores are those of the whole.
    void longPromptsAreSampled() {
        TokenIds ids(1000);
        std::iota(ids.begin(), ids.end(), TokenId{0});
        QVERIFY(
            near(measured(HeadTypeId::Positional, back(64), true, ids).heads[kGiven].score, 1.0));
        QVERIFY(
            near(measured(HeadTypeId::Diffuse, even, true, ids).heads[kGiven].score, 1.0, 1e-5));
        const Measurement far = measured(HeadTypeId::LongRange, even, true, ids);
        QVERIFY(near(far.heads[kGiven].score, far.heads[kGiven].baseline, 1e-5));
        QVERIFY(near(far.heads[kGiven].baseline, 0.5, 1e-2));
    }

    void brokenHeadsHaveNoScore() {
        const Pattern broken = [](std::size_t, std::size_t) {
            return std::numeric_limits<double>::quiet_NaN();
        };
        TokenIds ids = growing();
        ids[5] = 1000; // a rare token to look for
        for (const HeadTypeId id : {HeadTypeId::Local, HeadTypeId::LongRange, HeadTypeId::Diffuse,
                                    HeadTypeId::Positional, HeadTypeId::Rare})
            QVERIFY(std::isnan(measured(id, broken, true, ids).heads[kGiven].score));
    }

    /// Head 1 reads values of a fifth of the size: it writes 0.2 / 0.55 of the mean of the four,
    /// wherever it looks. Head 2 reads the same as others and loses it in W_O.
    void dormantWritesLittle() {
        ModelSpec spec = gpt2SmallShape(32);
        spec.n_layers = 1;
        spec.windows.resize(1);
        spec.attention_scale.resize(1);
        spec.n_heads = spec.n_kv_heads = 4;
        spec.d_head = 16;
        spec.d_model = 64;
        spec.d_mlp = 64;
        spec.d_vocab = 100;
        Model model = *randomModel(spec, 0);
        AttentionWeights& attention = model.weights.layers[0].attn;
        MutableMatrixView W_QKV = attention.W_QKV.floats().matrix();
        for (std::size_t row = 0; row < W_QKV.rows; ++row) {
            for (std::size_t i = 0; i < spec.d_head; ++i) {
                const std::size_t first = spec.queryWidth() + spec.keyWidth();
                const float value = W_QKV(row, first + i); // all heads read what head 0 reads
                for (std::size_t head = 1; head < 4; ++head)
                    W_QKV(row, first + head * spec.d_head + i) = head == 1 ? 0.2f * value : value;
                for (std::size_t head = 1; head < 4; ++head) // and look at the same
                    for (const std::size_t part : {std::size_t{0}, spec.queryWidth()})
                        W_QKV(row, part + head * spec.d_head + i) = W_QKV(row, part + i);
            }
        }
        std::ranges::fill(attention.b_QKV.values(), 0.0f);
        MutableMatrixView W_O = attention.W_O.floats().matrix();
        for (std::size_t i = 0; i < spec.d_head; ++i)
            for (std::size_t col = 0; col < spec.d_model; ++col) {
                W_O(spec.d_head + i, col) = W_O(3 * spec.d_head + i, col) = W_O(i, col);
                W_O(2 * spec.d_head + i, col) = 0.0f;
            }
        const auto scores = scoreHeads(std::make_shared<const Model>(std::move(model)),
                                       {.sequences = 2, .period = 8, .bos = BosMode::No});
        QVERIFY2(scores, scores ? "" : scores.error().message.c_str());
        const auto of = [&](std::size_t head) {
            return scores->at(HeadTypeId::Dormant, {0, head});
        };
        QVERIFY(near(of(1).score, 1.0 - 0.2 / 0.55, 1e-5)); // (1 + 0.2 + 0 + 1) / 4
        QVERIFY(near(of(1).variant, 1.0 - 0.2 / 0.55, 1e-5));
        QCOMPARE(of(2).score, 1.0);
        QCOMPARE(of(2).variant, 1.0);
        const auto has = [&](std::size_t head, HeadTypeId id) {
            return std::ranges::count(labels(*scores, {0, head}, {}), id) == 1;
        };
        for (const std::size_t head : {0u, 1u, 2u, 3u}) {
            QCOMPARE(has(head, HeadTypeId::Dormant), head == 1 || head == 2);
            QCOMPARE(has(head, HeadTypeId::WritesNothing), head == 2);
        }
        QVERIFY(scores->at(HeadTypeId::Sink, {0, 1}).score < 0.5); // it does not rest anywhere
    }

    /// Nor is it asleep.
    void aHeadAloneInItsLayerHasNoneToCompareWith() {
        ModelSpec spec = headscope::test::loadFixture("gpt2")->spec;
        const auto scoreOf = [&spec] {
            const auto scores =
                scoreHeads(headscope::randomModel(spec, 5), {.sequences = 1, .period = 4});
            return scores ? scores->at(HeadTypeId::Dormant, {0, 0}).score : -1.0;
        };
        QVERIFY(scoreOf() >= 0.0);
        spec.n_heads = spec.n_kv_heads = 1;
        QVERIFY(std::isnan(scoreOf()));
    }
};

const headscope::test::TestRegistration<TestMeters> registration;

} // namespace test_meters

#include "test_meters.moc"
