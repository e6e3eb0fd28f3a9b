#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

namespace test_norm_hooks {

using namespace headscope;
using namespace headscope::test;

/// hook_normalized is before gain and bias, hook_out behind them, for both kinds of norms.
class TestNormHooks : public QObject {
    Q_OBJECT

private slots:
    void outIsNormalizedTimesGainPlusBias_data() {
        QTest::addColumn<QString>("fixture");
        for (const char* fixture : {"gpt2", "llama", "bert", "gemma2"})
            QTest::newRow(fixture) << QString::fromLatin1(fixture);
    }
    void outIsNormalizedTimesGainPlusBias() {
        QFETCH(QString, fixture);
        const auto model = loadFixture(fixture.toStdString());
        HookSet hooks;
        hooks.capture("blocks.1.ln1.hook_normalized");
        hooks.capture("blocks.1.ln1.hook_out");
        const auto run = require(runModel(model, {1, 5, 9, 2}, {}, hooks));
        const Tensor& normalized = run->captured.at({HookKind::Ln1Normalized, 1});
        const Tensor& out = run->captured.at({HookKind::Ln1Out, 1});
        const NormWeights& norm = model->weights.layers[1].ln1;
        for (std::size_t t = 0; t < normalized.dim(0); ++t) {
            double square = 0.0;
            for (std::size_t c = 0; c < normalized.dim(1); ++c) {
                const double x = double{normalized(t, c)};
                square += x * x / static_cast<double>(normalized.dim(1));
                const double bias = norm.bias.empty() ? 0.0 : double{norm.bias(c)};
                QVERIFY(std::abs(double{out(t, c)} - (x * double{norm.weight(c)} + bias)) < 1e-5);
            }
            QVERIFY2(std::abs(square - 1.0) < 1e-3, std::to_string(square).c_str());
        }
    }

    /// An edit before the gain and its like behind it lead to the same logits.
    void editsActOnBothSidesOfTheGain() {
        const auto model = loadFixture("gpt2");
        const NormWeights& norm = model->weights.layers[0].ln1;
        const auto logits = [&](HookKind kind, const auto& change) {
            HookSet hooks;
            hooks.edit(HookPoint{kind, 0}, [&](HookPoint, const MutableTensorView& x) {
                for (std::size_t c = 0; c < x.shape[1]; ++c)
                    x(1, c) += change(c);
            });
            return require(runModel(model, {1, 5, 9}, {}, hooks))->logits;
        };
        const Tensor before = logits(HookKind::Ln1Normalized, [](std::size_t) { return 0.5f; });
        const Tensor behind =
            logits(HookKind::Ln1Out, [&](std::size_t c) { return 0.5f * norm.weight(c); });
        for (std::size_t i = 0; i < before.size(); ++i)
            QVERIFY(std::abs(before.data()[i] - behind.data()[i]) < 1e-4f);
    }
};

const headscope::test::TestRegistration<TestNormHooks> registration;

} // namespace test_norm_hooks

#include "test_norm_hooks.moc"
