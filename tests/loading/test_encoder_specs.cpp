#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <utility>
#include <vector>

namespace test_encoder_specs {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

class TestEncoderSpecs : public QObject {
    Q_OBJECT

private slots:
    void bert();
    void bertWithoutHead();
    void nomicUnderItsFirstKeys();
    void modernBert();
    void modernBertUnderItsFirstKeys();
};

void TestEncoderSpecs::bert() {
    const auto model = loadUnchanged("bert");
    const ModelSpec& spec = model->spec;
    QVERIFY(!spec.causal);
    QVERIFY(spec.norm_placement == NormPlacement::Post);
    QCOMPARE(spec.norm.eps, 1e-12);
    QVERIFY(spec.norm_after_embedding);
    QVERIFY(!spec.final_norm);
    QVERIFY(spec.activation == Activation::GeluErf);
    QCOMPARE(spec.n_token_types, std::size_t{2});
    QVERIFY(spec.output == OutputHead::MaskedLm);
    QCOMPARE(spec.embedding_hook_prefix, std::string("embed."));
    QVERIFY(!spec.bos_token);
    QVERIFY(model->weights.W_U.empty());
    QCOMPARE(model->weights.b_U.shape(), (Shape{97}));
    QCOMPARE(model->weights.W_mlm.shape(), (Shape{48, 48}));
    QCOMPARE(loadUnchanged("bert-mini-4l")->spec.mask_token, std::optional<TokenId>(1));
}

void TestEncoderSpecs::bertWithoutHead() {
    ModelVariant variant("bert");
    std::erase_if(variant.tensors, [](const auto& t) { return t.name.starts_with("cls."); });
    const auto model = variant.loaded();
    QVERIFY(model->spec.output == OutputHead::None);
    QVERIFY(model->weights.W_mlm.empty());
}

/// As the code that came with nomic-embed-text names them.
void TestEncoderSpecs::nomicUnderItsFirstKeys() {
    ModelVariant variant("nomic_bert");
    const ModelSpec now = loadUnchanged("nomic_bert")->spec;
    for (const auto& [key, first] : {std::pair{"num_hidden_layers", "n_layer"},
                                     {"hidden_size", "n_embd"},
                                     {"num_attention_heads", "n_head"},
                                     {"intermediate_size", "n_inner"},
                                     {"max_position_embeddings", "n_positions"},
                                     {"layer_norm_eps", "layer_norm_epsilon"}}) {
        variant.config[first] = variant.config[key];
        variant.config.erase(key);
    }
    variant.config.erase("rope_parameters");
    variant.config.erase("hidden_act");
    variant.config["rotary_emb_base"] = 1000;
    variant.config["activation_function"] = "swiglu";
    for (const char* off : {"prenorm", "causal", "qkv_proj_bias", "rotary_emb_interleaved"})
        variant.config[off] = false;
    variant.config["rotary_scaling_factor"] = nullptr;
    const ModelSpec spec = variant.loaded()->spec;
    QCOMPARE(spec.n_layers, now.n_layers);
    QCOMPARE(spec.n_ctx, now.n_ctx);
    QCOMPARE(spec.norm.eps, now.norm.eps);
    QCOMPARE(spec.rotary.base, 1000.0);
    QVERIFY(spec.activation == Activation::Silu);
    QVERIFY(!spec.causal && spec.mlp == MlpKind::Gated);
}

void TestEncoderSpecs::modernBert() {
    const auto model = loadUnchanged("modernbert");
    const ModelSpec& spec = model->spec;
    QVERIFY(!spec.causal && spec.final_norm && spec.norm_after_embedding);
    QVERIFY(spec.norm_placement == NormPlacement::Pre);
    QCOMPARE(spec.unnormed_layers, std::vector<std::size_t>{0});
    QVERIFY(model->weights.layers[0].ln1.weight.empty());
    QCOMPARE(model->weights.layers[1].ln1.bias.size(), std::size_t{32});
    QCOMPARE(spec.windows, (std::vector<std::size_t>{0, 9, 9, 0}));
    QCOMPARE(spec.rotary.base, 500.0);
    QCOMPARE(spec.window_rotary.value().base, 100.0);
    QVERIFY(spec.output == OutputHead::MaskedLm && spec.tied_unembedding);
}

/// As the models on the Hub name them.
void TestEncoderSpecs::modernBertUnderItsFirstKeys() {
    ModelVariant variant("modernbert");
    variant.config.erase("rope_parameters");
    variant.config.erase("layer_types");
    variant.config["global_rope_theta"] = 500.0;
    variant.config["local_rope_theta"] = 100.0;
    variant.config["global_attn_every_n_layers"] = 3;
    const ModelSpec now = loadUnchanged("modernbert")->spec;
    const ModelSpec spec = variant.loaded()->spec;
    QCOMPARE(spec.windows, now.windows);
    QCOMPARE(spec.rotary.base, now.rotary.base);
    QCOMPARE(spec.rotary.d_rotary, now.rotary.d_rotary);
    QCOMPARE(spec.window_rotary.value().base, now.window_rotary->base);
    variant.config["local_rope_theta"] = nullptr;
    QCOMPARE(variant.loaded()->spec.window_rotary.value().base, 500.0);
}

const headscope::test::TestRegistration<TestEncoderSpecs> registration;

} // namespace test_encoder_specs

#include "test_encoder_specs.moc"
