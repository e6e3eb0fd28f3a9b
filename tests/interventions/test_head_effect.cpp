#include "core/heads/score_sequences.h"
#include "core/interventions/ablation_effect.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <vector>

namespace test_head_effect {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

class TestHeadEffect : public QObject {
    Q_OBJECT

private slots:
    void kindsAreChosenByTheirNames() {
        QCOMPARE(replacedByNamed("pattern-preserving"), (ReplacedBy{AblationKind::Zero, true}));
        QCOMPARE(replacedByNamed("resample"), (ReplacedBy{AblationKind::Resample}));
        QCOMPARE(replacedByNamed("zero"), (ReplacedBy{AblationKind::Zero}));
        QCOMPARE(replacedByNamed("mean"), (ReplacedBy{AblationKind::Mean}));
        QCOMPARE(HeadEffectQuestion().by, (ReplacedBy{AblationKind::Mean}));
    }

    // Scores, the question that they give, and its answer, one after another by hand.
    void isMeasuredOnWhatItsTypesSay() {
        const auto model = loadSample("induction-circuit");
        const auto sequences = require(repeatedRandomSequences(*model, {.sequences = 3}));
        HeadEffectQuestion question;
        question.head = {1, 0};
        question.by.kind = AblationKind::Zero;
        question.others = 2;
        question.sequences = sequences;
        question.repeats.seed = 7;
        const HeadEffect found = require(headEffect(model, question));

        const HeadScores scores = require(scoreSequences(model, sequences, "by hand"));
        AblationEffectQuestion asked = effectQuestion(scores, {1, 0});
        asked.kind = AblationKind::Zero;
        asked.others = 2;
        asked.seed = 7;
        const AblationEffect by_hand = require(ablationEffect(model, {sequences}, asked));
        QCOMPARE(found.effects.front().difference, by_hand.difference);
        QCOMPARE(found.effects.front().sequences, std::size_t{3});
        QVERIFY(found.effects.front().measure == by_hand.measure);
        QVERIFY(std::ranges::equal(found.effects.front().others, by_hand.others, {},
                                   &AblationEffect::Other::head, &AblationEffect::Other::head));
        QCOMPARE(found.scores.at(HeadTypeId::Induction, {1, 0}).score,
                 scores.at(HeadTypeId::Induction, {1, 0}).score);
        // The other induction head is no comparison.
        QVERIFY(std::ranges::find(found.effects.front().question.same_type, LayerHead{1, 3}) !=
                found.effects.front().question.same_type.end());
        for (const AblationEffect::Other& other : found.effects.front().others)
            QVERIFY(!(other.head == LayerHead{1, 3}));
    }

    void withoutSequencesItsTypesDecide() {
        const auto model = loadSample("induction-circuit");
        HeadEffectQuestion question;
        question.head = {0, 0};
        question.others = 1;
        question.repeats.sequences = 4;
        question.most_sequences = 4;
        const HeadEffect found = require(headEffect(model, question));
        QVERIFY(found.effects.front().measure == EffectMeasure::SecondCopyLoss);
        QCOMPARE(found.effects.front().sequences, std::size_t{4});
    }

    void progressGoesOnToTheEnd() {
        const auto model = loadSample("induction-circuit");
        HeadEffectQuestion question;
        question.head = {0, 0};
        question.others = 1;
        question.repeats.sequences = 2;
        question.most_sequences = 2;
        std::vector<double> told;
        require(headEffect(model, question,
                           [&](double fraction, std::string_view) { told.push_back(fraction); }));
        QVERIFY(std::ranges::is_sorted(told));
        QVERIFY(told.front() >= 0.0 && told.front() < 0.5);
        QVERIFY(told.back() >= 0.5 && told.back() <= 1.0);
    }
};

const headscope::test::TestRegistration<TestHeadEffect> registration;

} // namespace test_head_effect

#include "test_head_effect.moc"
