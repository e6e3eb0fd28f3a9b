#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace test_model_specs {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

/// What a file of `tests/data` or `sample_models` must be understood as.
struct Expected {
    const char* name;
    const char* family;
    std::size_t n_layers, d_model, n_heads, n_kv_heads, d_head, d_mlp, d_vocab, n_ctx;
    std::size_t used;
};

constexpr Expected kModels[] = {
    {"gpt2", "gpt2", 3, 48, 4, 4, 12, 192, 97, 64, 40},
    {"gpt2-scale-by-layer", "gpt2", 2, 40, 5, 5, 8, 72, 97, 64, 28},
    {"llama", "llama", 3, 48, 4, 4, 12, 80, 97, 64, 30},
    {"llama-gqa", "llama", 3, 64, 8, 2, 8, 112, 97, 64, 29},
    {"llama-mqa-headdim", "llama", 2, 48, 6, 1, 16, 80, 97, 64, 35},
    {"llama3-rope", "llama", 2, 64, 4, 2, 16, 112, 97, 256, 21},
    {"bert", "bert", 3, 48, 4, 4, 12, 96, 97, 64, 58},
    {"microgpt", "microgpt", 1, 16, 4, 4, 4, 64, 27, 16, 9},
    {"notebook", "attention", 1, 16, 2, 2, 8, 0, 6, 5, 6},
    {"bloom", "bloom", 2, 48, 4, 4, 12, 192, 97, 2048, 29},
    {"distilbert", "distilbert", 2, 48, 4, 4, 12, 96, 97, 64, 41},
    {"falcon-mqa", "falcon", 2, 48, 4, 1, 12, 192, 97, 2048, 15},
    {"gemma", "gemma", 2, 48, 4, 1, 16, 80, 97, 64, 20},
    {"gemma2", "gemma2", 4, 48, 4, 2, 16, 80, 97, 64, 46},
    {"gpt_neo", "gpt_neo", 4, 48, 4, 4, 12, 192, 97, 64, 56},
    {"gpt_neox", "gpt_neox", 3, 64, 4, 4, 16, 128, 97, 64, 40},
    {"gpt_neox-sequential", "gpt_neox", 2, 48, 3, 3, 16, 96, 97, 64, 28},
    {"gptj", "gptj", 2, 64, 4, 4, 16, 256, 97, 64, 25},
    {"mistral-window", "mistral", 2, 48, 4, 2, 12, 80, 97, 64, 21},
    {"olmo2", "olmo2", 2, 48, 4, 2, 12, 80, 97, 64, 25},
    {"opt", "opt", 3, 48, 4, 4, 12, 96, 97, 64, 52},
    {"phi", "phi", 2, 64, 4, 4, 16, 112, 97, 64, 33},
    {"phi3", "phi3", 2, 48, 4, 2, 12, 80, 97, 64, 17},
    {"qwen2", "qwen2", 2, 48, 4, 2, 12, 80, 97, 64, 27},
    {"qwen3", "qwen3", 2, 48, 4, 2, 24, 80, 97, 64, 25},
    {"roberta", "roberta", 2, 48, 4, 4, 12, 96, 97, 64, 42},
    {"stablelm", "stablelm", 2, 64, 4, 2, 16, 112, 97, 64, 26},
    {"gemma3", "gemma3_text", 3, 32, 4, 2, 12, 48, 61, 64, 41},
    {"opt-350m", "opt", 2, 32, 4, 4, 8, 48, 61, 64, 36},
    {"falcon-grouped", "falcon", 2, 32, 4, 2, 8, 128, 61, 64, 27},
    {"stablelm-parallel", "stablelm", 2, 32, 4, 2, 8, 48, 61, 64, 28},
    {"starcoder2", "starcoder2", 2, 32, 4, 2, 8, 48, 61, 64, 35},
    {"xlm-roberta", "xlm-roberta", 2, 32, 4, 4, 8, 48, 61, 64, 42},
    {"camembert", "camembert", 2, 32, 4, 4, 8, 48, 61, 64, 42},
    {"electra", "electra", 2, 32, 4, 4, 8, 48, 61, 66, 42},
    {"electra-small", "electra", 2, 32, 4, 4, 8, 48, 61, 66, 44},
    {"albert", "albert", 3, 32, 4, 4, 8, 48, 61, 66, 60},
    {"falcon-alibi", "falcon", 2, 36, 9, 9, 4, 144, 61, 2048, 27},
    {"olmo", "olmo", 2, 32, 4, 2, 8, 48, 61, 64, 24},
    {"granite", "granite", 2, 32, 4, 2, 8, 48, 61, 64, 35},
    {"cohere", "cohere", 2, 32, 4, 2, 8, 48, 61, 64, 26},
    {"helium", "helium", 2, 32, 4, 2, 8, 48, 61, 64, 33},
    {"glm", "glm", 2, 32, 4, 2, 12, 48, 61, 64, 27},
    {"glm4", "glm4", 2, 32, 4, 2, 12, 48, 61, 64, 31},
    {"seed_oss", "seed_oss", 2, 32, 4, 2, 12, 48, 61, 64, 35},
    {"smollm3", "smollm3", 3, 32, 4, 2, 8, 48, 61, 64, 50},
    {"arcee", "arcee", 2, 32, 4, 2, 12, 48, 61, 64, 31},
    {"olmo3", "olmo3", 3, 32, 4, 2, 8, 48, 61, 64, 48},
    {"cohere2", "cohere2", 3, 32, 4, 2, 8, 48, 61, 64, 38},
    {"exaone4", "exaone4", 3, 32, 4, 2, 12, 48, 61, 64, 36},
    {"ministral", "ministral", 2, 32, 4, 2, 12, 48, 61, 64, 21},
    {"nemotron", "nemotron", 2, 32, 4, 2, 12, 48, 61, 64, 36},
    {"nomic_bert", "nomic_bert", 2, 32, 4, 4, 12, 48, 61, 66, 27},
    {"codegen", "codegen", 2, 32, 8, 8, 4, 48, 61, 64, 21},
    {"ministral3", "ministral3", 2, 32, 4, 2, 12, 48, 61, 64, 21},
    {"cohere-qk-norm", "cohere", 2, 32, 4, 2, 8, 48, 61, 64, 22},
    {"stablelm-qk-norm", "stablelm", 2, 32, 4, 2, 8, 48, 61, 64, 34},
    {"olmo-clip", "olmo", 2, 32, 4, 2, 8, 48, 61, 64, 16},
    {"ernie-tasks", "ernie", 2, 32, 4, 4, 8, 48, 61, 66, 43},
    {"mpnet", "mpnet", 2, 32, 4, 4, 8, 48, 61, 64, 42},
    {"modernbert", "modernbert", 4, 32, 4, 4, 8, 48, 61, 66, 64},
    {"ernie4_5", "ernie4_5", 2, 32, 4, 2, 12, 48, 61, 64, 35},
    {"vaultgemma", "vaultgemma", 2, 32, 4, 2, 12, 48, 61, 64, 28},
    {"mixtral", "mixtral", 2, 32, 4, 2, 12, 0, 61, 64, 47},
    {"qwen2_moe", "qwen2_moe", 3, 32, 4, 2, 8, 48, 61, 64, 56},
    {"qwen3_moe", "qwen3_moe", 3, 32, 4, 2, 12, 48, 61, 64, 80},
    {"olmoe", "olmoe", 2, 32, 4, 2, 8, 0, 61, 64, 65},
    {"granitemoe", "granitemoe", 2, 32, 4, 2, 8, 0, 61, 64, 31},
    {"hunyuan_v1_dense", "hunyuan_v1_dense", 2, 32, 4, 2, 12, 48, 61, 64, 33},
    {"exaone", "exaone", 2, 32, 4, 2, 12, 48, 61, 64, 35},
    {"internlm3", "internlm3", 2, 32, 4, 2, 12, 48, 61, 64, 35},
    {"eurobert", "eurobert", 2, 32, 4, 2, 12, 48, 61, 64, 36},
    {"biogpt", "biogpt", 2, 32, 4, 4, 8, 48, 61, 66, 36},
    {"granitemoehybrid", "granitemoehybrid", 2, 32, 4, 2, 8, 40, 61, 64, 29},
    {"granite_swa", "granite_swa", 3, 32, 4, 2, 8, 48, 61, 64, 53},
    {"granitemoe_swa", "granitemoe_swa", 2, 32, 4, 2, 8, 0, 61, 64, 39},
    {"granitemoeshared", "granitemoeshared", 2, 32, 4, 2, 8, 0, 61, 64, 37},
    {"hunyuan_v1_moe", "hunyuan_v1_moe", 2, 32, 4, 2, 12, 0, 61, 64, 65},
    {"hyperclovax", "hyperclovax", 2, 32, 4, 2, 12, 48, 61, 64, 39},
    {"persimmon", "persimmon", 2, 32, 4, 4, 8, 48, 61, 64, 36},
    {"jais2", "jais2", 2, 32, 4, 2, 12, 48, 61, 64, 36},
    {"cwm", "cwm", 2, 32, 4, 2, 12, 48, 61, 64, 27},
    {"iquestcoder", "iquestcoder", 2, 32, 4, 2, 12, 48, 61, 64, 35},
    {"mellum", "mellum", 3, 32, 4, 2, 12, 48, 61, 64, 80},
    {"flex_olmo", "flex_olmo", 2, 32, 4, 2, 8, 0, 61, 64, 59},
    {"cohere_compass_text", "cohere_compass_text", 2, 32, 4, 2, 12, 48, 61, 64, 26},
    {"glm4_moe", "glm4_moe", 2, 16, 4, 2, 8, 20, 48, 64, 57},
    {"dots1", "dots1", 2, 16, 4, 2, 6, 0, 48, 64, 73},
    {"ernie4_5_moe", "ernie4_5_moe", 3, 16, 4, 2, 6, 20, 48, 64, 50},
    {"minimax_m2", "minimax_m2", 2, 16, 4, 2, 6, 0, 48, 64, 59},
    {"solar_open", "solar_open", 2, 16, 4, 2, 6, 0, 48, 64, 79},
    {"exaone_moe", "exaone_moe", 3, 16, 4, 2, 6, 20, 48, 64, 88},
    {"hy_v3", "hy_v3", 2, 16, 4, 2, 6, 20, 48, 64, 53},
    {"flint", "flint", 3, 16, 4, 2, 6, 20, 48, 64, 77},
    {"kolibri1", "kolibri1", 2, 16, 4, 2, 6, 0, 48, 64, 69},
    {"sarvam_moe", "sarvam_moe", 2, 16, 4, 2, 6, 20, 48, 64, 49},
    {"phimoe", "phimoe", 2, 16, 4, 2, 6, 0, 48, 64, 67},
    {"cohere2_moe", "cohere2_moe", 3, 16, 4, 2, 6, 20, 48, 64, 77},
    {"dbrx", "dbrx", 2, 16, 4, 2, 4, 0, 48, 64, 19},
    {"deepseek_v2", "deepseek_v2", 2, 16, 4, 4, 10, 20, 48, 64, 64},
    {"deepseek_v3", "deepseek_v3", 2, 16, 4, 4, 10, 20, 48, 64, 65},
    {"glm4_moe_lite", "glm4_moe_lite", 2, 16, 4, 4, 10, 20, 48, 64, 57},
    {"mistral4", "mistral4", 2, 16, 4, 4, 10, 20, 48, 64, 35},
    {"sarvam_mla", "sarvam_mla", 2, 16, 4, 4, 10, 20, 48, 64, 47},
    {"youtu", "youtu", 2, 16, 4, 4, 10, 20, 48, 64, 30},
    {"minicpm3", "minicpm3", 2, 16, 4, 4, 10, 20, 48, 64, 38},
    {"gpt_oss", "gpt_oss", 2, 32, 4, 2, 12, 0, 61, 64, 41},
    {"openai-gpt", "openai-gpt", 2, 32, 4, 4, 8, 128, 61, 64, 26},
    {"gpt_bigcode", "gpt_bigcode", 2, 32, 4, 1, 8, 48, 61, 64, 28},
    {"attn-only-2l", "gpt2", 2, 256, 8, 8, 32, 0, 4096, 256, 16},
    {"gpt2-mini-6l", "gpt2", 6, 256, 8, 8, 32, 1024, 4096, 256, 76},
    {"llama-mini-gqa-4l", "llama", 4, 256, 8, 2, 32, 688, 4096, 256, 38},
    {"bert-mini-4l", "bert", 4, 256, 8, 8, 32, 1024, 4096, 256, 74},
};

} // namespace

class TestModelSpecs : public QObject {
    Q_OBJECT

private slots:
    void sizes_data();
    void sizes();
    void gpt2();
    void attentionOnly();
    void scaleByLayer();
    void unscaledAttention();
    void llama();
    void llama3Rotary();
    void rotarySpellings();
    void raisedBase();
    void infinitiesInAConfig();
    void microgpt();
    void bareAttention();
    void activations();
};

void TestModelSpecs::sizes_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(std::size(kModels)); ++i)
        QTest::addRow("%s", kModels[i].name) << i;
}

void TestModelSpecs::sizes() {
    QFETCH(int, index);
    const Expected& expected = kModels[index];
    const auto model = loadUnchanged(expected.name);
    const ModelSpec& spec = model->spec;
    QCOMPARE(spec.family, std::string(expected.family));
    QCOMPARE(spec.n_layers, expected.n_layers);
    QCOMPARE(spec.d_model, expected.d_model);
    QCOMPARE(spec.n_heads, expected.n_heads);
    QCOMPARE(spec.n_kv_heads, expected.n_kv_heads);
    QCOMPARE(spec.d_head, expected.d_head);
    QCOMPARE(spec.d_mlp, expected.d_mlp);
    QCOMPARE(spec.d_vocab, expected.d_vocab);
    QCOMPARE(spec.n_ctx, expected.n_ctx);
    QCOMPARE(spec.attention_scale.size(), expected.n_layers);
    QCOMPARE(model->weights.layers.size(), expected.n_layers);
    QCOMPARE(model->report.used.size(), expected.used);
    QVERIFY(model->report.ignored.empty());
    QVERIFY(model->report.unused_config_keys.empty());
}

void TestModelSpecs::gpt2() {
    const auto model = loadUnchanged("gpt2");
    const ModelSpec& spec = model->spec;
    QVERIFY(spec.causal);
    QVERIFY(spec.norm.kind == NormKind::LayerNorm);
    QCOMPARE(spec.norm.eps, 1e-5);
    QVERIFY(spec.norm_placement == NormPlacement::Pre);
    QVERIFY(!spec.norm_after_embedding);
    QVERIFY(spec.final_norm);
    QVERIFY(spec.positions == PositionKind::Learned);
    QVERIFY(spec.mlp == MlpKind::Plain);
    QVERIFY(spec.activation == Activation::GeluTanh);
    QVERIFY(spec.output == OutputHead::Unembed);
    QVERIFY(spec.tied_unembedding);
    QVERIFY(model->weights.W_U.empty());
    QCOMPARE(spec.attention_scale, std::vector<double>(3, 1.0 / std::sqrt(12.0)));
    QCOMPARE(spec.bos_token, std::optional<TokenId>(0));
    QCOMPARE(spec.embedding_hook_prefix, std::string());
}

void TestModelSpecs::attentionOnly() {
    const auto model = loadUnchanged("attn-only-2l");
    QVERIFY(model->spec.mlp == MlpKind::None);
    QVERIFY(model->spec.final_norm);
    QVERIFY(!model->weights.layers[1].ln1.weight.empty());
    QVERIFY(model->weights.layers[1].ln2.weight.empty());
    QVERIFY(model->weights.layers[1].mlp.W_in.empty());
}

void TestModelSpecs::scaleByLayer() {
    const auto model = loadUnchanged("gpt2-scale-by-layer");
    const double usual = 1.0 / std::sqrt(8.0);
    QCOMPARE(model->spec.attention_scale, (std::vector<double>{usual, usual / 2.0}));
    QVERIFY(model->spec.activation == Activation::GeluErf);
}

void TestModelSpecs::unscaledAttention() {
    ModelVariant variant("gpt2");
    variant.config["scale_attn_weights"] = false;
    QCOMPARE(variant.loaded()->spec.attention_scale, std::vector<double>(3, 1.0));
}

void TestModelSpecs::llama() {
    const auto model = loadUnchanged("llama-mqa-headdim");
    const ModelSpec& spec = model->spec;
    QVERIFY(spec.causal);
    QVERIFY(spec.norm.kind == NormKind::RmsNorm);
    QCOMPARE(spec.norm.eps, 1e-6);
    QVERIFY(spec.positions == PositionKind::Rotary);
    QCOMPARE(spec.rotary.d_rotary, std::size_t{16});
    QCOMPARE(spec.rotary.base, 10000.0);
    QVERIFY(spec.rotary.scaling == RotaryScalingKind::None);
    QVERIFY(spec.mlp == MlpKind::Gated);
    QVERIFY(spec.activation == Activation::Silu);
    QVERIFY(!spec.tied_unembedding);
    QCOMPARE(spec.attention_scale, std::vector<double>(2, 0.25));
    QCOMPARE(model->weights.W_U.shape(), (Shape{97, 48}));
    QVERIFY(model->weights.W_pos.empty());
    const LayerWeights& layer = model->weights.layers[1];
    QCOMPARE(layer.attn.W_QKV.shape(), (Shape{48, 128}));
    QCOMPARE(layer.attn.b_QKV.shape(), (Shape{128}));
    QCOMPARE(layer.attn.b_O.shape(), (Shape{48}));
    QCOMPARE(layer.mlp.b_gate.shape(), (Shape{80}));
    QVERIFY(layer.ln1.bias.empty());

    const auto plain = loadUnchanged("llama-gqa");
    QVERIFY(plain->spec.tied_unembedding);
    QVERIFY(plain->weights.layers[0].attn.b_QKV.empty());
    QVERIFY(plain->weights.layers[0].attn.b_O.empty());
    QVERIFY(plain->weights.layers[0].mlp.b_in.empty());
}

void TestModelSpecs::llama3Rotary() {
    const auto model = loadUnchanged("llama3-rope");
    const RotarySpec& rotary = model->spec.rotary;
    QVERIFY(rotary.scaling == RotaryScalingKind::Llama3);
    QCOMPARE(rotary.base, 500000.0);
    QCOMPARE(rotary.factor, 8.0);
    QCOMPARE(rotary.low_freq_factor, 1.0);
    QCOMPARE(rotary.high_freq_factor, 4.0);
    QCOMPARE(rotary.original_context, 64.0);
}

void TestModelSpecs::rotarySpellings() {
    ModelVariant variant("llama");
    variant.config.erase("rope_parameters");
    QCOMPARE(variant.loaded()->spec.rotary.base, 10000.0);
    variant.config["rope_theta"] = 500.0;
    QCOMPARE(variant.loaded()->spec.rotary.base, 500.0);
    variant.config["rope_scaling"] = {{"type", "linear"}, {"factor", 4.0}};
    const auto scaled = variant.loaded();
    QVERIFY(scaled->spec.rotary.scaling == RotaryScalingKind::Linear);
    QCOMPARE(scaled->spec.rotary.factor, 4.0);
    QCOMPARE(scaled->spec.rotary.base, 500.0);
    variant.config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 77.0}};
    const auto newest = variant.loaded();
    QCOMPARE(newest->spec.rotary.base, 77.0);
    QVERIFY(newest->spec.rotary.scaling == RotaryScalingKind::None);
}

/// Which Python writes into JSON: nobody reads the one, and the other is no number.
void TestModelSpecs::infinitiesInAConfig() {
    ModelVariant variant("gpt2");
    std::string text = variant.config.dump();
    variant.config_text = text.replace(0, 1, R"({"time_step_limit": [0.0, Infinity], )");
    QCOMPARE(variant.loaded()->report.unused_config_keys,
             std::vector<std::string>{"time_step_limit"});
    variant.config.erase("layer_norm_epsilon");
    text = variant.config.dump();
    variant.config_text = text.replace(0, 1, R"({"layer_norm_epsilon": NaN, )");
    QVERIFY2(variant.refusal().find("has 'layer_norm_epsilon' = \"NaN\", expected a number") !=
                 std::string::npos,
             variant.refusal().c_str());
}

/// As Hunyuan's checkpoints spell it, and transformers reads it.
void TestModelSpecs::raisedBase() {
    ModelVariant variant("hunyuan_v1_dense");
    const double raised = 10000.0 * std::pow(50.0, 12.0 / 10.0);
    const auto check = [&] {
        const ModelSpec spec = variant.loaded()->spec;
        QVERIFY(spec.rotary.scaling == RotaryScalingKind::None);
        QVERIFY(std::abs(spec.rotary.base / raised - 1.0) < 1e-12);
        QCOMPARE(spec.n_ctx, std::size_t{64});
    };
    check();
    variant.config.erase("rope_parameters");
    variant.config["rope_theta"] = 10000.0;
    variant.config["rope_scaling"] = {{"type", "dynamic"}, {"alpha", 50.0}, {"factor", 2.0}};
    check();
    variant.config["rope_scaling"].erase("alpha");
    QVERIFY(variant.loaded()->spec.rotary.scaling == RotaryScalingKind::Dynamic);
}

void TestModelSpecs::microgpt() {
    const auto model = loadUnchanged("microgpt");
    const ModelSpec& spec = model->spec;
    QVERIFY(spec.norm.kind == NormKind::RmsNorm);
    QCOMPARE(spec.norm.eps, 1e-5);
    QVERIFY(spec.norm_after_embedding);
    QVERIFY(!spec.final_norm);
    QVERIFY(spec.activation == Activation::Relu);
    QVERIFY(!spec.tied_unembedding);
    QCOMPARE(spec.bos_token, std::optional<TokenId>(26));
    QVERIFY(model->weights.ln_embed.weight.empty());
    QVERIFY(model->weights.layers[0].ln1.weight.empty());
    QVERIFY(model->weights.layers[0].attn.b_QKV.empty());
}

void TestModelSpecs::bareAttention() {
    const ModelSpec spec = loadUnchanged("notebook")->spec;
    QVERIFY(spec.causal);
    QVERIFY(spec.norm_placement == NormPlacement::None);
    QVERIFY(!spec.final_norm);
    QVERIFY(spec.mlp == MlpKind::None);
    QVERIFY(spec.output == OutputHead::None);
    QVERIFY(!spec.bos_token);
}

void TestModelSpecs::activations() {
    ModelVariant variant("gpt2");
    const std::pair<const char*, Activation> known[] = {
        {"gelu", Activation::GeluErf},
        {"gelu_python", Activation::GeluErf},
        {"gelu_pytorch_tanh", Activation::GeluTanh},
        {"gelu_python_tanh", Activation::GeluTanh},
        {"gelu_accurate", Activation::GeluTanh},
        {"quick_gelu", Activation::QuickGelu},
        {"relu", Activation::Relu},
        {"silu", Activation::Silu},
    };
    for (const auto& [name, activation] : known) {
        variant.config["activation_function"] = name;
        QVERIFY2(variant.loaded()->spec.activation == activation, name);
    }
}

const headscope::test::TestRegistration<TestModelSpecs> registration;

} // namespace test_model_specs

#include "test_model_specs.moc"
