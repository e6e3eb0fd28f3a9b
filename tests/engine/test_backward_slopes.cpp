// The gradient at every hook point of every network against central differences: an editor moves
// the value there, and the metric of the edited runs says how it follows.

#include "tests/engine/slope_metric.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <functional>

namespace test_backward_slopes {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Steps are this part of the value. Smaller ones drown in float32, larger ones bend.
constexpr double kStep = 1e-3;
/// Of |gradient| · |direction| / √elements, which is what a random direction sees on average.
constexpr double kTolerance = 0.03;
constexpr int kDirections = 2;

void checkPoint(const Metric& metric, HookPoint hook, const Tensor& gradient, Random& random) {
    const Tensor value = metric.valueAt(hook);
    QCOMPARE(gradient.shape(), value.shape());
    for (int draw = 0; draw < kDirections; ++draw) {
        const Tensor direction = randomTensor(random, value.shape());
        const double step = kStep * length(value) / length(direction);
        const double usual =
            length(gradient) * length(direction) / std::sqrt(static_cast<double>(value.size()));
        const double expected = metric.slope(hook, step, direction);
        const double found = inner(gradient, direction);
        QVERIFY2(std::abs(found - expected) <= kTolerance * usual,
                 qPrintable(QStringLiteral("%1: slope %2, expected %3, usual size %4")
                                .arg(QString::fromStdString(hookName(metric.model->spec, hook)))
                                .arg(found)
                                .arg(expected)
                                .arg(usual)));
    }
}

/// ReLU and the limit of a gate have kinks that differences step over; here GELU stands in for the
/// one, and the other is out of reach.
std::shared_ptr<const Model> smooth(const std::shared_ptr<const Model>& model) {
    auto copy = std::make_shared<Model>(*model);
    if (copy->spec.activation == Activation::Relu)
        copy->spec.activation = Activation::GeluErf;
    if (copy->spec.experts && copy->spec.experts->limit != 0.0)
        copy->spec.experts->limit = 1e6;
    return copy;
}

void checkAllPoints(const std::shared_ptr<const Model>& model) {
    const Metric metric = metricOf(model);
    std::vector<HookPoint> hooks = hookPoints(model->spec);
    std::erase_if(hooks, [](HookPoint hook) { return hook.kind == HookKind::ExpertIndices; });
    const Gradients gradients = metric.gradients({{hooks.begin(), hooks.end()}});
    QCOMPARE(gradients.hooks.size(), hooks.size());
    Random random(2);
    for (const HookPoint hook : hooks)
        checkPoint(metric, hook, gradients.hooks.at(hook), random);
}

ModelSpec smallSpec() {
    ModelSpec spec;
    spec.family = "random";
    spec.n_layers = 2;
    spec.d_model = 24;
    spec.n_heads = 4;
    spec.n_kv_heads = 2;
    spec.d_head = 6;
    spec.d_mlp = 32;
    spec.d_vocab = 64;
    spec.n_ctx = 32;
    return spec;
}

NormWeights normWeights(Random& random, std::size_t width) {
    NormWeights norm{randomTensor(random, {width}), randomTensor(random, {width})};
    for (float& gain : norm.weight.values())
        gain = 1.0f + 0.3f * gain;
    return norm;
}

/// Combinations that no family among the fixtures has.
struct Combination {
    const char* name;
    std::function<void(ModelSpec&)> change;
};
const Combination combinations[] = {
    {"output norms of LayerNorm",
     [](ModelSpec& spec) { spec.norm_placement = NormPlacement::Output; }},
    {"sandwich of LayerNorm",
     [](ModelSpec& spec) { spec.norm_placement = NormPlacement::Sandwich; }},
    {"parallel sandwich",
     [](ModelSpec& spec) {
         spec.norm_placement = NormPlacement::Sandwich;
         spec.parallel_residual = true;
     }},
    {"post-norm and a final norm",
     [](ModelSpec& spec) { spec.norm_placement = NormPlacement::Post; }},
    {"no norms in blocks, gated",
     [](ModelSpec& spec) {
         spec.norm_placement = NormPlacement::None;
         spec.mlp = MlpKind::Gated;
         spec.activation = Activation::QuickGelu;
     }},
    {"a first layer without a norm, windows to both sides",
     [](ModelSpec& spec) {
         spec.unnormed_layers = {0};
         spec.causal = false;
         spec.windows = {5, 3};
     }},
    {"biases by distance",
     [](ModelSpec& spec) {
         spec.relative_buckets = 32;
         spec.causal = false;
     }},
    {"values wider than keys", [](ModelSpec& spec) { spec.d_head_v = 9; }},
    {"no MLP", [](ModelSpec& spec) { spec.mlp = MlpKind::None; }},
    {"masked-LM head behind a final LayerNorm",
     [](ModelSpec& spec) { spec.output = OutputHead::MaskedLm; }},
    {"masked-LM head behind a final RMSNorm",
     [](ModelSpec& spec) {
         spec.output = OutputHead::MaskedLm;
         spec.norm.kind = NormKind::RmsNorm;
     }},
    {"sandwich with experts",
     [](ModelSpec& spec) {
         spec.norm_placement = NormPlacement::Sandwich;
         spec.mlp = MlpKind::Gated;
         spec.activation = Activation::Silu;
         spec.experts = ExpertsSpec{.n_experts = 4,
                                    .n_chosen = 2,
                                    .d_mlp = 20,
                                    .weights_sum_to_one = false,
                                    .d_shared = 12,
                                    .dense_layers = {0}};
     }},
    {"soft-capped scores with ALiBi",
     [](ModelSpec& spec) {
         spec.positions = PositionKind::Alibi;
         spec.alibi_slopes = {0.5, 0.25, 0.125, 0.0625};
         spec.attention_softcap = 0.5;
         spec.logit_softcap = 1.5;
         spec.causal = false;
     }},
};

std::shared_ptr<const Model> combined(const Combination& combination) {
    ModelSpec spec = smallSpec();
    combination.change(spec);
    Random random(4);
    auto model = std::make_shared<Model>(*livelyRandomModel(spec, 3));
    Weights& weights = model->weights;
    weights.ln_mlm = normWeights(random, spec.d_model);
    weights.W_mlm = randomTensor(random, {spec.d_model, spec.d_model});
    weights.b_mlm = randomTensor(random, {spec.d_model});
    for (LayerWeights& layer : weights.layers) {
        layer.ln1_post = normWeights(random, spec.d_model);
        layer.ln2_post = normWeights(random, spec.d_model);
    }
    return model;
}

} // namespace

class TestBackwardSlopes : public QObject {
    Q_OBJECT

private slots:
    void families_data();
    void families();
    void clippedAsInTorch_data();
    void clippedAsInTorch();
    void otherCombinations_data();
    void otherCombinations();
};

void TestBackwardSlopes::families_data() {
    QTest::addColumn<QString>("fixture");
    for (const auto& names : {fixtureNames(), variantNames(), {"microgpt"}})
        for (const std::string& name : names)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestBackwardSlopes::families() {
    QFETCH(QString, fixture);
    checkAllPoints(smooth(loadFixture(fixture.toStdString())));
}

/// Differences step over the kinks of a limit that holds so many values: against autograd instead,
/// of the sum of the logits of the prompt's own tokens.
void TestBackwardSlopes::clippedAsInTorch_data() {
    QTest::addColumn<QString>("fixture");
    for (const std::string& name : clippedNames())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestBackwardSlopes::clippedAsInTorch() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    const ReferenceFile reference(fixtureReference(fixture.toStdString()));
    const TokenIds ids = reference.ids("input_ids");
    const auto own_logits = [&](const Tensor& logits) {
        Tensor d_logits(logits.shape());
        for (std::size_t t = 0; t < ids.size(); ++t)
            d_logits(t, static_cast<std::size_t>(ids[t])) = 1.0f;
        return d_logits;
    };
    const HookPoint residual{HookKind::ResidPre, 0};
    const Gradients found = require(runBackward(model, ids, own_logits, {{residual}}));
    const Tensor expected = reference.floats("d_resid_pre");
    QVERIFY(difference(found.hooks.at(residual).view(), expected.view()).relative < 1e-5);
    auto free = std::make_shared<Model>(*model);
    free->spec.qkv_clip = 1e6;
    const Gradients other = require(runBackward(free, ids, own_logits, {{residual}}));
    QVERIFY(difference(other.hooks.at(residual).view(), expected.view()).relative > 0.1);
}

void TestBackwardSlopes::otherCombinations_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(combinations)); ++i)
        QTest::newRow(combinations[i].name) << i;
}

void TestBackwardSlopes::otherCombinations() {
    QFETCH(int, index);
    checkAllPoints(combined(combinations[index]));
}

const headscope::test::TestRegistration<TestBackwardSlopes> registration;

} // namespace test_backward_slopes

#include "test_backward_slopes.moc"
