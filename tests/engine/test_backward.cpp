#include "core/tensor/parallel.h"
#include "tests/engine/slope_metric.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace test_backward {

using namespace headscope;
using namespace headscope::test;

namespace {

QString messageOf(const Result<Gradients>& result) {
    return result ? QStringLiteral("no error") : QString::fromStdString(result.error().message);
}

Tensor ones(const Tensor& logits) {
    return Tensor(logits.shape(), 1.0f);
}

Tensor asTensor(const PerHead<float>& values) {
    Tensor tensor({values.size()});
    std::ranges::copy(values, tensor.data());
    return tensor;
}

} // namespace

class TestBackward : public QObject {
    Q_OBJECT

private slots:
    void gatesAreSlopes_data();
    void gatesAreSlopes();
    void hiddenEntries();
    void squaresAreSpelledOut();
    void keepsNothingUnasked();
    void sameAtAnyThreadCount();
    void refuses();
    void stops();
    void notFinite();
};

void TestBackward::gatesAreSlopes_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"gpt2", "bert", "llama-gqa", "gemma2", "olmo2", "bloom"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

/// ξ · z of one head, ξ about 1; sign and size.
void TestBackward::gatesAreSlopes() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const ModelSpec& spec = model->spec;
    const Metric metric = metricOf(model);
    const PerHead<float> gates = metric.gradients({}).gates;
    QVERIFY(gates.heads() == HeadIndex(spec.n_layers, spec.n_heads));
    const double usual = length(asTensor(gates)) / std::sqrt(static_cast<double>(gates.size()));
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const HookPoint hook{HookKind::Z, layer};
        const Tensor z = metric.valueAt(hook);
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            Tensor own(z.shape());
            for (std::size_t t = 0; t < kPrompt.size(); ++t)
                for (std::size_t d = 0; d < spec.d_head; ++d)
                    own(t, head, d) = z(t, head, d);
            const double slope = metric.slope(hook, 0.01, own);
            QVERIFY2(std::abs(gates[{layer, head}] - slope) <= 0.01 * usual,
                     qPrintable(QStringLiteral("%1.%2").arg(layer).arg(head)));
        }
    }
}

/// A hidden score is −∞ whatever is added to it; a hidden weight is 0 and could be another.
void TestBackward::hiddenEntries() {
    const auto model = loadFixture("gpt2");
    const Gradients gradients = metricOf(model).gradients(
        {{"blocks.0.attn.hook_attn_scores", "blocks.0.attn.hook_pattern"}});
    const Tensor& scores = gradients.hooks.at({HookKind::AttnScores, 0});
    const Tensor& pattern = gradients.hooks.at({HookKind::Pattern, 0});
    for (std::size_t query = 0; query < kPrompt.size(); ++query)
        for (std::size_t key = query + 1; key < kPrompt.size(); ++key) {
            QCOMPARE(scores(1, query, key), 0.0f);
            QVERIFY(pattern(1, query, key) != 0.0f);
        }
}

void TestBackward::squaresAreSpelledOut() {
    const auto model = loadFixture("gpt2");
    const auto kept = [&](const HookSelector& where) {
        std::set<HookPoint> points;
        for (const auto& [point, gradient] : metricOf(model).gradients({{where}}).hooks)
            points.insert(point);
        return points;
    };
    const std::set<HookPoint> wide = kept("*");
    QVERIFY(wide.contains({HookKind::Z, 1}));
    QVERIFY(!wide.contains({HookKind::Pattern, 1}));
    QVERIFY(!wide.contains({HookKind::AttnScores, 1}));
    const std::set<HookPoint> patterns{
        {HookKind::Pattern, 0}, {HookKind::Pattern, 1}, {HookKind::Pattern, 2}};
    QVERIFY(kept("*.hook_pattern") == patterns);
    QVERIFY(kept(HookKind::Pattern) == patterns);
}

void TestBackward::keepsNothingUnasked() {
    QVERIFY(metricOf(loadFixture("gpt2")).gradients({}).hooks.empty());
}

void TestBackward::sameAtAnyThreadCount() {
    const Metric metric = metricOf(loadFixture("llama-gqa"));
    const std::size_t before = threads();
    setThreads(1);
    const Gradients alone = metric.gradients({{"blocks.0.hook_resid_pre"}});
    setThreads(3);
    const Gradients shared = metric.gradients({{"blocks.0.hook_resid_pre"}});
    setThreads(before);
    const Tensor& one = alone.hooks.at({HookKind::ResidPre, 0});
    const Tensor& three = shared.hooks.at({HookKind::ResidPre, 0});
    QVERIFY(difference(three.view(), one.view()).relative <= 1e-6);
    QVERIFY(difference(asTensor(shared.gates).view(), asTensor(alone.gates).view()).relative <=
            1e-6);
}

void TestBackward::refuses() {
    const auto model = loadFixture("gpt2");
    QCOMPARE(messageOf(runBackward(loadFixture("notebook"), {0, 1}, ones)),
             QStringLiteral("notebook ends with its residual stream and has no logits, so there is "
                            "no metric to take the gradient of."));
    QCOMPARE(messageOf(runBackward(model, {1, 2},
                                   [](const Tensor&) {
                                       return Tensor({3, 97});
                                   })),
             QStringLiteral("The gradient of the metric has the shape [3, 97], but the logits of "
                            "gpt2 have [2, 97]."));
    QCOMPARE(messageOf(runBackward(model, {1, 2}, ones, {{"blocks.7.attn.hook_z"}})),
             QStringLiteral("Hook 'blocks.7.attn.hook_z' matches no hook point of this gpt2 model "
                            "with 3 layers; a valid name is 'blocks.2.attn.hook_z'."));
    QVERIFY(
        messageOf(runBackward(model, {}, ones)).startsWith(QStringLiteral("The prompt has no")));
}

void TestBackward::stops() {
    std::stop_source stop;
    const auto stop_between = [&](const Tensor& logits) {
        stop.request_stop();
        return ones(logits);
    };
    const auto result =
        runBackward(loadFixture("gpt2"), kPrompt, stop_between, {}, stop.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
}

void TestBackward::notFinite() {
    const auto infinite = [](const Tensor& logits) {
        Tensor gradient = ones(logits);
        gradient(1, 4) = std::numeric_limits<float>::infinity();
        return gradient;
    };
    QVERIFY(messageOf(runBackward(loadFixture("gpt2"), {1, 2, 3}, infinite))
                .startsWith(QStringLiteral("The gradient is not finite: at "
                                           "'blocks.2.hook_resid_post' it holds NaN or infinity at "
                                           "position 1")));

    // Without a final norm, which would spread it over all dimensions.
    auto steep = std::make_shared<Model>(*loadFixture("llama"));
    steep->spec.final_norm = false;
    steep->weights.W_U.floats()(4, 5) = 1e30f;
    const auto large = [](const Tensor& logits) {
        Tensor gradient(logits.shape());
        gradient(1, 4) = 1e30f;
        return gradient;
    };
    QVERIFY(messageOf(runBackward(steep, {1, 2, 3}, large))
                .contains(QStringLiteral("holds NaN or infinity at position 1")));
}

const headscope::test::TestRegistration<TestBackward> registration;

} // namespace test_backward

#include "test_backward.moc"
