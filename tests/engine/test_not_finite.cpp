#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <limits>

namespace test_not_finite {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const TokenIds ids{5, 17, 3};

/// A network with one bad parameter, and the first hook point where that shows. Points that are
/// computed only on request (hook_result and the inputs of single heads) show nothing unless asked.
struct BadWeight {
    const char* what;
    const char* fixture;
    void (*spoil)(const ModelSpec& spec, Weights& weights);
    const char* point;
};

constexpr std::array kBadWeights{
    BadWeight{"token embedding", "gpt2",
              [](const ModelSpec&, Weights& w) { w.W_E.floats()(17, 0) = kNan; }, "hook_embed"},
    BadWeight{"position embedding", "gpt2",
              [](const ModelSpec&, Weights& w) { w.W_pos.floats()(2, 0) = kNan; },
              "hook_pos_embed"},
    BadWeight{"gain of a LayerNorm", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[1].ln1.weight(0) = kNan; },
              "blocks.1.ln1.hook_out"},
    BadWeight{"query weight", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[1].attn.W_QKV.floats()(0, 0) = kNan; },
              "blocks.1.attn.hook_q"},
    BadWeight{"key bias", "gpt2",
              [](const ModelSpec& spec, Weights& w) {
                  w.layers[1].attn.b_QKV(spec.queryWidth()) = kInfinity;
              },
              "blocks.1.attn.hook_k"},
    BadWeight{"value weight", "gpt2",
              [](const ModelSpec& spec, Weights& w) {
                  w.layers[1].attn.W_QKV.floats()(0, spec.queryWidth() + spec.keyWidth()) = kNan;
              },
              "blocks.1.attn.hook_v"},
    BadWeight{"finite queries and keys whose scores are not", "gpt2",
              [](const ModelSpec& spec, Weights& w) {
                  w.layers[0].attn.b_QKV(0) = 1e30f;
                  w.layers[0].attn.b_QKV(spec.queryWidth()) = 1e30f;
              },
              "blocks.0.attn.hook_attn_scores"},
    BadWeight{"output weight", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[0].attn.W_O.floats()(0, 0) = kNan; },
              "blocks.0.hook_attn_out"},
    BadWeight{"finite terms whose sum is not", "gpt_neox",
              [](const ModelSpec&, Weights& w) {
                  w.layers[0].attn.b_O(0) = 2e38f;
                  w.layers[0].mlp.b_out(0) = 2e38f;
              },
              "blocks.0.hook_resid_post"},
    BadWeight{"variance beyond float32", "gpt2",
              [](const ModelSpec&, Weights& w) { w.W_pos.floats()(1, 0) = 1e25f; },
              "blocks.0.ln1.hook_scale"},
    BadWeight{"mean square beyond float32", "llama",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_out.floats()(0, 0) = 1e25f; },
              "blocks.1.ln1.hook_scale"},
    BadWeight{"bias of a LayerNorm", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[2].ln2.bias(0) = kNan; },
              "blocks.2.ln2.hook_out"},
    BadWeight{"MLP input", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_in.floats()(0, 0) = kInfinity; },
              "blocks.0.mlp.hook_pre"},
    BadWeight{"MLP output of the last layer", "gpt2",
              [](const ModelSpec&, Weights& w) { w.layers[2].mlp.W_out.floats()(0, 0) = kNan; },
              "blocks.2.hook_mlp_out"},
    BadWeight{"gain of the final norm", "gpt2",
              [](const ModelSpec&, Weights& w) { w.ln_final.weight(0) = kNan; },
              "ln_final.hook_out"},
    BadWeight{"unembedding", "gpt2",
              [](const ModelSpec&, Weights& w) { w.W_E.floats()(90, 0) = kNan; }, "logits"},
    BadWeight{"infinity that ReLU hides", "opt",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.b_in(0) = -kInfinity; },
              "blocks.0.mlp.hook_pre"},
    BadWeight{"projection of the embedding", "opt-350m",
              [](const ModelSpec&, Weights& w) { w.W_project_in.floats()(0, 0) = kNan; },
              "hook_embed"},
    BadWeight{"projection to the vocabulary", "opt-350m",
              [](const ModelSpec&, Weights& w) { w.W_project_out.floats()(0, 0) = kNan; },
              "logits"},
    BadWeight{"gain of an RMSNorm", "llama",
              [](const ModelSpec&, Weights& w) { w.layers[1].ln1.weight(0) = kNan; },
              "blocks.1.ln1.hook_out"},
    BadWeight{"gate", "llama",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_gate.floats()(0, 0) = kNan; },
              "blocks.0.mlp.hook_pre"},
    BadWeight{"input beside the gate", "llama",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_in.floats()(0, 0) = kNan; },
              "blocks.0.mlp.hook_pre_linear"},
    BadWeight{"gain of the final RMSNorm", "llama",
              [](const ModelSpec&, Weights& w) { w.ln_final.weight(0) = kNan; },
              "ln_final.hook_out"},
    BadWeight{"gain of the query norm", "qwen3",
              [](const ModelSpec&, Weights& w) { w.layers[0].attn.q_norm.weight(0) = kNan; },
              "blocks.0.attn.q_norm.hook_out"},
    BadWeight{"MLP output before its norm", "olmo2",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_out.floats()(0, 0) = kNan; },
              "blocks.0.ln2.hook_scale"},
    BadWeight{"output weight before its norm", "gemma2",
              [](const ModelSpec&, Weights& w) { w.layers[0].attn.W_O.floats()(0, 0) = kNan; },
              "blocks.0.ln1_post.hook_scale"},
    BadWeight{"gain of the norm after attention", "gemma2",
              [](const ModelSpec&, Weights& w) { w.layers[0].ln1_post.weight(0) = kNan; },
              "blocks.0.ln1_post.hook_out"},
    BadWeight{"MLP beside attention", "gptj",
              [](const ModelSpec&, Weights& w) { w.layers[0].mlp.W_out.floats()(0, 0) = kNan; },
              "blocks.0.hook_mlp_out"},
    BadWeight{
        "router", "mixtral",
        [](const ModelSpec&, Weights& w) { w.layers[1].experts.W_router.floats()(0, 0) = kNan; },
        "blocks.1.mlp.hook_router_logits"},
    BadWeight{"experts", "mixtral",
              [](const ModelSpec&, Weights& w) {
                  std::ranges::fill(w.layers[0].experts.W_out.floats().values(), kNan);
              },
              "blocks.0.hook_mlp_out"},
    BadWeight{"gate of the shared expert", "qwen2_moe",
              [](const ModelSpec&, Weights& w) {
                  w.layers[1].experts.W_shared_router.floats()(0, 0) = kNan;
              },
              "blocks.1.hook_mlp_out"},
    BadWeight{"token type", "bert",
              [](const ModelSpec&, Weights& w) { w.W_token_type.floats()(0, 0) = kNan; },
              "embed.hook_token_type_embed"},
    BadWeight{"norm of the embedding", "bert",
              [](const ModelSpec&, Weights& w) { w.ln_embed.weight(0) = kNan; },
              "embed.ln.hook_out"},
    BadWeight{"norm after attention", "bert",
              [](const ModelSpec&, Weights& w) { w.layers[1].ln1.weight(0) = kNan; },
              "blocks.1.ln1.hook_out"},
    BadWeight{"masked-LM head", "bert",
              [](const ModelSpec&, Weights& w) { w.W_mlm.floats()(0, 0) = kNan; },
              "mlm_head.ln.hook_scale"},
};

std::shared_ptr<const Model> spoiled(const BadWeight& bad) {
    auto model = std::make_shared<Model>(*loadFixture(bad.fixture));
    bad.spoil(model->spec, model->weights);
    return model;
}

/// "blocks.1.attn.hook_v" of "The run is not finite: 'blocks.1.attn.hook_v' holds …", else the
/// whole message.
QString namedPoint(const Result<std::shared_ptr<const Run>>& result) {
    if (result)
        return QStringLiteral("no error");
    const QString message = QString::fromStdString(result.error().message);
    const QString before = QStringLiteral("The run is not finite: '");
    const qsizetype end = message.indexOf(QStringLiteral("' holds "));
    if (!message.startsWith(before) || end < 0)
        return message;
    return message.mid(before.size(), end - before.size());
}

} // namespace

/// A NaN or infinity anywhere names the first hook point that showed it.
class TestNotFinite : public QObject {
    Q_OBJECT

private slots:
    void badWeights_data();
    void badWeights();
    void everyEditedPointNamesItself_data();
    void everyEditedPointNamesItself();
    void rowWithoutVisibleKeys();
    void hiddenKeysAreNoError();
    void unreadWeightsAreNoError();
    void scoresThatNobodyKeeps();
    void lastAttentionOutputOnRequest();
};

void TestNotFinite::badWeights_data() {
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < kBadWeights.size(); ++i)
        QTest::addRow("%s: %s", kBadWeights[i].fixture, kBadWeights[i].what) << i;
}

void TestNotFinite::badWeights() {
    QFETCH(std::size_t, index);
    const BadWeight& bad = kBadWeights[index];
    QCOMPARE(namedPoint(runModel(spoiled(bad), ids)), QString::fromLatin1(bad.point));
}

void TestNotFinite::everyEditedPointNamesItself_data() {
    QTest::addColumn<QString>("fixture");
    for (const std::string& name : fixtureNames())
        QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestNotFinite::everyEditedPointNamesItself() {
    QFETCH(QString, fixture);
    const auto model = loadFixture(fixture.toStdString());
    for (const HookPoint point : hookPoints(model->spec)) {
        const std::string name = hookName(model->spec, point);
        HookSet hooks;
        hooks.edit(name, [](HookPoint, MutableTensorView value) { *value.data = kNan; });
        QCOMPARE(namedPoint(runModel(model, ids, {}, hooks)), QString::fromStdString(name));
    }
}

/// Scores of −∞ are what a mask writes; that no key is left shows in the pattern.
void TestNotFinite::rowWithoutVisibleKeys() {
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_attn_scores",
               [](HookPoint, MutableTensorView scores) { scores(0, 0, 0) = -kInfinity; });
    QCOMPARE(namedPoint(runModel(loadFixture("gpt2"), ids, {}, hooks)),
             QStringLiteral("blocks.0.attn.hook_pattern"));
}

void TestNotFinite::hiddenKeysAreNoError() {
    HookSet hooks;
    hooks.edit("blocks.0.attn.hook_attn_scores",
               [](HookPoint, MutableTensorView scores) { scores(0, 2, 1) = -kInfinity; });
    const auto run = require(runModel(loadFixture("gpt2"), ids, {}, hooks));
    QCOMPARE(run->weight({0, 0}, 2, 1), 0.0f);
}

void TestNotFinite::unreadWeightsAreNoError() {
    const auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    model->weights.W_pos.floats()(ids.size(), 0) = kNan;
    model->weights.W_E.floats()(90, 0) = kNan;
    model->weights.layers[2].attn.b_O(0) = kNan;
    Request request;
    request.layers = 2;
    QVERIFY(runModel(model, ids, request));
}

/// As in a run that only observers watch, which sees the pattern alone.
void TestNotFinite::scoresThatNobodyKeeps() {
    const auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    AttentionWeights& last = model->weights.layers.back().attn;
    last.b_QKV(0) = 1e30f;
    last.b_QKV(model->spec.queryWidth()) = 1e30f;
    Request request;
    request.logits = false;
    request.keep_attention = false;
    QCOMPARE(namedPoint(runModel(model, ids, request)),
             QStringLiteral("blocks.2.attn.hook_attn_scores"));
}

void TestNotFinite::lastAttentionOutputOnRequest() {
    const auto model = std::make_shared<Model>(*loadFixture("gpt2"));
    model->weights.layers.back().attn.W_O.floats()(0, 0) = kNan;
    Request request;
    request.logits = false;
    QVERIFY(runModel(model, ids, request));
    request.last_attention_output = true;
    QCOMPARE(namedPoint(runModel(model, ids, request)), QStringLiteral("blocks.2.hook_attn_out"));
}

const headscope::test::TestRegistration<TestNotFinite> registration;

} // namespace test_not_finite

#include "test_not_finite.moc"
