#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/heads/sequences.h"
#include "core/interventions/example_rows.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_next_token_effect {

using namespace headscope;
using headscope::test::loadSample;
using headscope::test::require;

namespace {

constexpr LayerHead kNameMover{4, 1}; ///< of gpt2-mini-6l

} // namespace

class TestNextTokenEffect : public QObject {
    Q_OBJECT

private slots:
    // Against two whole runs, one with a hook of the test's own.
    void itIsTheDifferenceOfTwoRuns() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequence = require(
            textSequences(*model, "When Mary and John went to the store, John gave a drink to Mary",
                          BosMode::Auto, 64))[0];
        const std::size_t query = sequence.ids.size() - 2;
        const auto effect =
            require(nextTokenEffect(model, sequence, query, kNameMover, AblationKind::Zero));
        QVERIFY(effect.has_value());
        HookSet hooks;
        hooks.edit(HookPoint{HookKind::Z, kNameMover.layer},
                   [](HookPoint, const MutableTensorView& z) {
                       for (std::size_t position = 0; position < z.shape[0]; ++position)
                           for (std::size_t d = 0; d < z.shape[2]; ++d)
                               z(position, kNameMover.head, d) = 0.0f;
                   });
        const auto whole = require(runModel(model, sequence.ids));
        const auto ablated = require(runModel(model, sequence.ids, {}, hooks));
        const double loss = nextTokenLosses(whole->logits, sequence.ids)[query];
        const double without = nextTokenLosses(ablated->logits, sequence.ids)[query];
        QVERIFY(std::abs(effect->loss - loss) < 1e-4);
        QVERIFY(std::abs(effect->ablated - without) < 1e-4);
        QVERIFY(effect->change() > 1.0); // this head finds the name
    }

    void whatIsNotPredictedHasNone() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequence = require(textSequences(*model, "A cat", BosMode::Auto, 64))[0];
        QVERIFY(!require(
            nextTokenEffect(model, sequence, sequence.ids.size() - 1, {}, AblationKind::Zero)));
        const auto bert = loadSample("bert-mini-4l");
        const auto words = require(textSequences(*bert, "a small cat", BosMode::Auto, 64))[0];
        QVERIFY(!require(nextTokenEffect(bert, words, 0, {}, AblationKind::Zero)));
    }

    void kindsOfOtherPromptsAreRefused() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto sequence = require(textSequences(*model, "A cat sat", BosMode::Auto, 64))[0];
        QVERIFY(!nextTokenEffect(model, sequence, 1, {}, AblationKind::Resample));
    }
};

const headscope::test::TestRegistration<TestNextTokenEffect> registration;

} // namespace test_next_token_effect

#include "test_next_token_effect.moc"
