// Attribution patching against patching itself: for values that differ little, the first order is
// the whole effect.

#include "core/base/random.h"
#include "core/interventions/activation_patching.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_attribution_patching {

using namespace headscope;
using namespace headscope::test;

namespace {

/// gpt2 where the embeddings of tokens 17 and 18 are nearly one.
std::shared_ptr<const Model> nearlySameTokens() {
    auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    Tensor& W_E = model->weights.W_E.floats();
    if (model->weights.W_U.empty())
        model->weights.W_U = W_E;
    Random random(9);
    for (std::size_t c = 0; c < W_E.dim(1); ++c)
        W_E(18, c) =
            W_E(17, c) * (1.0f + 0.01f * (static_cast<float>(random.below(201)) / 100.0f - 1.0f));
    return model;
}

/// Two logits at the last position.
PatchQuestion questionAt(HookKind hook, bool by_position, bool by_head) {
    PatchQuestion question;
    question.clean = {5, 18, 3, 42, 5, 60};
    question.corrupted = {5, 17, 3, 42, 5, 60};
    question.hook = hook;
    question.by_position = by_position;
    question.by_head = by_head;
    question.metric.kind = MetricKind::LogitDifference;
    question.metric.token = 7;
    question.metric.other = 31;
    return question;
}

PatchResult estimated(const std::shared_ptr<const Model>& model, PatchQuestion question) {
    question.method = EffectMethod::Gradient;
    return require(patchActivations(model, question));
}

std::string messageOf(PatchQuestion question) {
    question.method = EffectMethod::Gradient;
    const auto result = patchActivations(loadFixture("gpt2"), question);
    return result ? std::string() : result.error().message;
}

} // namespace

class TestAttributionPatching : public QObject {
    Q_OBJECT

private slots:
    void isThePatchToFirstOrder_data() {
        QTest::addColumn<HookKind>("hook");
        QTest::addColumn<bool>("by_position");
        QTest::addColumn<bool>("by_head");
        const auto row = [](const char* name, HookKind hook, bool by_position, bool by_head) {
            QTest::newRow(name) << hook << by_position << by_head;
        };
        row("embed", HookKind::Embed, true, false);
        row("resid_pre", HookKind::ResidPre, true, false);
        row("resid_pre, all positions", HookKind::ResidPre, false, false);
        row("ln1.hook_scale", HookKind::Ln1Scale, true, false);
        row("q_input", HookKind::QInput, true, true);
        row("v", HookKind::V, true, true);
        row("attn_scores", HookKind::AttnScores, true, true);
        row("pattern", HookKind::Pattern, true, true);
        row("pattern, all positions", HookKind::Pattern, false, true);
        row("z", HookKind::Z, true, true);
        row("z, all heads", HookKind::Z, true, false);
        row("z, all positions", HookKind::Z, false, true);
        row("result", HookKind::Result, true, true);
        row("mlp.hook_post", HookKind::MlpPost, true, false);
        row("ln_final", HookKind::LnFinalNormalized, true, false);
    }
    void isThePatchToFirstOrder() {
        QFETCH(HookKind, hook);
        QFETCH(bool, by_position);
        QFETCH(bool, by_head);
        const auto model = nearlySameTokens();
        const PatchQuestion question = questionAt(hook, by_position, by_head);
        const PatchResult exact = require(patchActivations(model, question));
        const PatchResult found = estimated(model, question);
        QVERIFY(found.points == exact.points);
        QCOMPARE(found.values.size(), exact.values.size());
        QVERIFY(std::abs(found.clean - exact.clean) <= 1e-5);
        QVERIFY(std::abs(found.corrupted - exact.corrupted) <= 1e-5);
        double largest = 0.0;
        for (const double value : exact.values)
            largest = std::max(largest, std::abs(value - exact.corrupted));
        QVERIFY(largest > 2e-5);
        for (std::size_t i = 0; i < found.values.size(); ++i)
            QVERIFY2(std::abs(found.values[i] - exact.values[i]) <= 0.03 * largest + 4e-6,
                     qPrintable(QStringLiteral("patch %1: %2 in place of %3")
                                    .arg(i)
                                    .arg(found.values[i] - found.corrupted)
                                    .arg(exact.values[i] - exact.corrupted)));
    }

    /// All of the residual stream at once is the other run.
    void residualsAddUpToTheWholeEffect() {
        const PatchResult found =
            estimated(nearlySameTokens(), questionAt(HookKind::ResidPre, false, false));
        for (std::size_t layer = 0; layer < found.layers(); ++layer)
            QVERIFY(std::abs(found.normalised(layer) - 1.0) <= 0.03);
    }

    void refusals() {
        PatchQuestion question = questionAt(HookKind::Z, true, true);
        question.metric.kind = MetricKind::Kl;
        QVERIFY(messageOf(question).starts_with("The slope of KL is 0"));
        question = questionAt(HookKind::Z, true, true);
        question.clean.pop_back();
        QCOMPARE(messageOf(question),
                 std::string("The clean prompt has 5 tokens and the corrupted one has 6; give two "
                             "of the same length."));
    }
};

const headscope::test::TestRegistration<TestAttributionPatching> registration;

} // namespace test_attribution_patching

#include "test_attribution_patching.moc"
