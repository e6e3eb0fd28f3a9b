// Controls: the same reading on input that lacks what a type looks for.

#include "core/base/random.h"
#include "core/heads/controls/controls.h"
#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/sequences.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/show_patterns.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>

namespace test_controls {

using namespace headscope;
using namespace headscope::test;

namespace {

using enum HeadTypeId;

constexpr std::size_t kPeriod = 12;

/// Scores of a single type with its interval far above its baseline.
HeadScores clearScores(double above_control) {
    HeadScore score{.head = {0, 0}, .type = Induction, .score = 0.9, .baseline = 0.01};
    score.low = 0.8;
    score.high = 1.0;
    score.above_control = above_control;
    HeadScores scores;
    scores.heads = {1, 1};
    scores.types = {Induction};
    scores.scores = {score};
    scores.measured_on = {{"ten sequences", "without BOS", 10}};
    return scores;
}

/// The score of the control of a head with this pattern, on one sequence.
double controlOf(HeadTypeId type, const Pattern& pattern) {
    const InputSequence sequence{repeatedIds(kPeriod), true, kPeriod};
    const Run run = runWithPattern(sequence.ids, pattern);
    auto meters =
        SequenceMeters::ofControls(run.model, sequence, headType(type).control->input, {&type, 1});
    showPatterns(run, meters);
    return meters.measurements().at(type).heads[kGiven].score;
}

/// One key `back` tokens before the query, else position 0.
Pattern at(std::size_t back) {
    return
        [back](std::size_t q, std::size_t k) { return k == (q < back ? 0 : q - back) ? 1.0 : 0.0; };
}

} // namespace

class TestControls : public QObject {
    Q_OBJECT

private slots:
    void aRepeatBecomesNone() {
        const Model model;
        const InputSequence sequence{repeatedIds(kPeriod), true, kPeriod};
        Random random(1);
        const auto ids = controlIds(model, sequence, ControlInput::Shuffled, random);
        QVERIFY(ids);
        QVERIFY(std::equal(ids->begin(), ids->begin() + 1 + kPeriod, sequence.ids.begin()));
        QVERIFY(std::is_permutation(ids->begin() + 1 + kPeriod, ids->end(),
                                    sequence.ids.begin() + 1 + kPeriod));
        for (std::size_t i = 1 + kPeriod; i < ids->size(); ++i)
            QVERIFY((*ids)[i] != sequence.ids[i]);
    }

    void specialTokensKeepTheirPlaces() {
        const auto bert = loadSample("bert-mini-4l");
        TokenIds ids = bert->tokenizer->encode("one two three four five six", true)->ids;
        const InputSequence sequence{ids, true};
        Random random(2);
        const auto found = controlIds(*bert, sequence, ControlInput::Shuffled, random);
        QVERIFY(found && *found != ids);
        for (std::size_t i = 0; i < ids.size(); ++i)
            if (bert->tokenizer->isSpecial(ids[i]))
                QCOMPARE((*found)[i], ids[i]);
        QVERIFY(std::is_permutation(found->begin(), found->end(), ids.begin()));
    }

    void whatCannotBeChangedHasNoControl() {
        const Model model;
        Random random(3);
        const InputSequence one{{0, 1}, true};
        QVERIFY(!controlIds(model, one, ControlInput::Shuffled, random));
        QVERIFY(!controlIds(model, one, ControlInput::ThreeNames, random));
    }

    void neighboursAreReadInPlaceOfTheTarget() {
        QCOMPARE(controlOf(Previous, at(1)), 0.0);
        QVERIFY(controlOf(Previous, at(2)) > 0.99);
        QCOMPARE(controlOf(Current, at(0)), 0.0);
        QCOMPARE(controlOf(Current, at(1)), 1.0);
        QCOMPARE(controlOf(Sink, at(100)), 0.0);
        QCOMPARE(controlOf(Sink,
                           [](std::size_t q, std::size_t k) {
                               return k == std::min<std::size_t>(q, 1) ? 1.0 : 0.0;
                           }),
                 1.0);
    }

    /// Every query but one sees the rarest token, and the commonest.
    void theCommonestTokenIsReadInPlaceOfTheRarest() {
        const TokenIds ids = repeatedIds(kPeriod);
        const auto place = [&](const auto found) {
            return static_cast<std::size_t>(found - ids.begin());
        };
        const std::size_t rarest = place(std::max_element(ids.begin() + 1, ids.end()));
        const std::size_t commonest = place(std::min_element(ids.begin() + 1, ids.end()));
        const auto onKey = [](std::size_t key) {
            return
                [key](std::size_t q, std::size_t k) { return k == std::min(q, key) ? 1.0 : 0.0; };
        };
        QVERIFY(controlOf(Rare, onKey(rarest)) < 0.5);
        QVERIFY(controlOf(Rare, onKey(commonest)) > 0.9);
    }

    // A head that looks a fixed distance back is one of induction by its score alone.
    void theSamePlacesAreReadOfAChangedSequence() {
        QCOMPARE(controlOf(Induction, at(kPeriod - 1)), 1.0);
        QCOMPARE(controlOf(Duplicate, at(kPeriod)), 1.0);
        QCOMPARE(controlOf(Duplicate, at(kPeriod - 1)), 0.0);
    }

    void aLabelNeedsMoreThanItsControl() {
        QCOMPARE(labels(clearScores(0.1), {0, 0}, {}), std::vector{Induction});
        QCOMPARE(labels(clearScores(std::nan("")), {0, 0}, {}), std::vector{Induction});
        QVERIFY(labels(clearScores(0.01), {0, 0}, {}).empty());
        QVERIFY(labels(clearScores(0.0), {0, 0}, {}).empty());
        QVERIFY(labels(clearScores(-0.2), {0, 0}, {}).empty());
    }

    // What has a control is compared with it, and nothing else is.
    void samplesAreComparedWithControls() {
        const auto model = loadSample("attn-only-2l");
        const HeadScores scores = require(scoreHeads(model));
        std::size_t induction = 0;
        for (const HeadScore& score : scores.scores) {
            if (!headType(score.type).control)
                QVERIFY(std::isnan(score.control) && std::isnan(score.above_control));
            else if (!std::isnan(score.score) && score.type != Quotation)
                QVERIFY2(!std::isnan(score.above_control), headType(score.type).key.data());
            if (score.type != Induction || score.score < 0.3)
                continue;
            induction += 1;
            QVERIFY(score.control < 0.1);
            QVERIFY(score.above_control > 0.15);
            QVERIFY(score.above_control < score.score);
            QVERIFY(score.p_value < 1e-3);
        }
        QVERIFY(induction > 0);
    }

    void theSameSeedGivesTheSameControls() {
        const auto model = loadSample("attn-only-2l");
        const auto sequences = require(repeatedRandomSequences(*model, {}));
        const auto control = [&](std::uint64_t seed) {
            const HeadScores scores = require(scoreWithControls(model, sequences, "", 2, seed));
            return scores.at(Induction, {1, 0}).control;
        };
        QCOMPARE(control(4), control(4));
        QVERIFY(control(4) != control(5));
    }
};

const headscope::test::TestRegistration<TestControls> registration;

} // namespace test_controls

#include "test_controls.moc"
