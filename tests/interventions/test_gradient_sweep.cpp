// What single heads are worth to first order, against what automatic differentiation in another
// implementation gave and against runs that turn one gate a little.

#include "core/engine/engine.h"
#include "core/engine/loss.h"
#include "core/interventions/sweep.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_gradient_sweep {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Of the largest expected value.
constexpr double kTolerance = 1e-3;

/// Every head by itself, in next-token loss.
SweepQuestion questionOf(std::vector<TokenIds> prompts) {
    SweepQuestion question;
    question.prompts = std::move(prompts);
    question.method = EffectMethod::Gradient;
    return question;
}

/// d loss / d ξ [layer, head], a mean over the prompts: an ablation takes ξ from 1 to 0.
Tensor gateGradient(const std::shared_ptr<const Model>& model, std::vector<TokenIds> prompts) {
    const SweepResult result = require(sweepHeads(model, questionOf(std::move(prompts))));
    Tensor gradient({model->spec.n_layers, model->spec.n_heads});
    for (std::size_t unit = 0; unit < result.values.size(); ++unit) {
        const LayerHead head = result.question.units[unit].front();
        gradient(head.layer, head.head) = static_cast<float>(-result.difference(unit));
    }
    return gradient;
}

Tensor magnitudes(Tensor x) {
    for (float& value : x.values())
        value = std::abs(value);
    return x;
}

/// d loss / d ξ of one head by central differences.
double slopeOfGate(const std::shared_ptr<const Model>& model, const TokenIds& ids, LayerHead id) {
    constexpr float step = 0.02f;
    const auto lossWith = [&](float gate) {
        HookSet hooks;
        hooks.edit(HookPoint{HookKind::Z, id.layer}, [&](HookPoint, const MutableTensorView& z) {
            for (std::size_t t = 0; t < z.shape[0]; ++t)
                for (std::size_t d = 0; d < z.shape[2]; ++d)
                    z(t, id.head, d) *= gate;
        });
        return *meanNextTokenLoss(require(runModel(model, ids, {}, hooks))->logits, ids);
    };
    return (lossWith(1.0f + step) - lossWith(1.0f - step)) / (2.0 * step);
}

/// Of the heads that matter most, so that the differences stand out of float32.
void checkSigns(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                const Tensor& gradient) {
    const Tensor size = magnitudes(gradient);
    const float largest = *std::ranges::max_element(size.values());
    int checked = 0;
    for (std::size_t layer = 0; layer < gradient.dim(0); ++layer)
        for (std::size_t head = 0; head < gradient.dim(1); ++head) {
            if (size(layer, head) < 0.3f * largest)
                continue;
            const double slope = slopeOfGate(model, ids, {layer, head});
            QVERIFY2(std::abs(slope - gradient(layer, head)) <= 0.05 * largest,
                     qPrintable(QStringLiteral("%1.%2").arg(layer).arg(head)));
            ++checked;
        }
    QVERIFY(checked > 0);
}

std::shared_ptr<const Model> gpt2() {
    return loadFixture("gpt2");
}

} // namespace

class TestGradientSweep : public QObject {
    Q_OBJECT

private slots:
    void fixtures_data();
    void fixtures();
    void sampleModels_data();
    void sampleModels();
    void meanOverPrompts();
    void reportsAndStops();
};

void TestGradientSweep::fixtures_data() {
    QTest::addColumn<QString>("name");
    int causal = 0;
    for (const std::string& name : fixtureNames())
        if (ReferenceFile(fixtureReference(name)).has("head_importance")) {
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
            ++causal;
        }
    QCOMPARE(causal, 22);
}

void TestGradientSweep::fixtures() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const ReferenceFile reference(fixtureReference(name.toStdString()));
    const TokenIds ids = reference.ids("input_ids");
    const Tensor gradient = gateGradient(model, {ids});
    const Tensor importance = magnitudes(gradient); // Michel et al. 2019
    const Difference apart =
        difference(importance.view(), reference.floats("head_importance").view());
    QVERIFY2(apart.relative <= kTolerance, qPrintable(QString::number(apart.relative)));
    checkSigns(model, ids, gradient);
}

void TestGradientSweep::sampleModels_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGradientSweep::sampleModels() {
    QFETCH(QString, name);
    const auto model = loadSample(name.toStdString());
    const ReferenceFile reference(sampleReference(name.toStdString()));
    const TokenIds ids = reference.ids("ablation/input_ids");
    const Tensor gradient = gateGradient(model, {ids});
    const Difference apart =
        difference(gradient.view(), reference.floats("ablation/gate_gradient").view());
    QVERIFY2(apart.relative <= kTolerance, qPrintable(QString::number(apart.relative)));
    checkSigns(model, ids, gradient);
}

void TestGradientSweep::meanOverPrompts() {
    const std::vector<TokenIds> prompts{{1, 5, 9, 2}, {40, 3, 3, 71, 8, 8}};
    const Tensor both = gateGradient(gpt2(), prompts);
    const Tensor first = gateGradient(gpt2(), {prompts[0]});
    const Tensor second = gateGradient(gpt2(), {prompts[1]});
    bool prompts_differ = false;
    for (std::size_t i = 0; i < both.size(); ++i) {
        const float a = first.values()[i];
        const float b = second.values()[i];
        QVERIFY(std::abs(both.values()[i] - (a + b) / 2) <= 1e-6f);
        prompts_differ = prompts_differ || std::abs(a - b) > 1e-4f;
    }
    QVERIFY(prompts_differ);
}

void TestGradientSweep::reportsAndStops() {
    const std::vector<TokenIds> prompts(4, TokenIds{1, 5, 9, 2});
    std::vector<double> fractions;
    std::stop_source stop;
    const auto progress = [&](double fraction, std::string_view) {
        fractions.push_back(fraction);
        if (fractions.size() == 3)
            stop.request_stop();
    };
    const auto result = sweepHeads(gpt2(), questionOf(prompts), progress, stop.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
    QCOMPARE(fractions, (std::vector{0.0, 0.25, 0.5}));
}

const headscope::test::TestRegistration<TestGradientSweep> registration;

} // namespace test_gradient_sweep

#include "test_gradient_sweep.moc"
