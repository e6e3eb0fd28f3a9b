#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_family_traps {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

void same(const Tensor& found, const Tensor& expected) {
    QCOMPARE(found.shape(), expected.shape());
    QVERIFY(std::ranges::equal(found.values(), expected.values()));
}

void replacePrefix(ModelVariant& variant, const std::string& from, const std::string& to) {
    for (FileTensor& tensor : variant.tensors)
        if (tensor.name.starts_with(from))
            tensor.name = to + tensor.name.substr(from.size());
}

} // namespace

/// What one family's files and configs do and no other's.
class TestFamilyTraps : public QObject {
    Q_OBJECT

private slots:
    void neoxOldKeys();
    void neoxOldNames();
    void storedHeadsAreNotTied_data();
    void storedHeadsAreNotTied();
    void causalMaskOfOldFiles();
    void gainsAreStoredMinusOne();
    void oldGemmaActivation();
    void softcapsCanBeSwitchedOff();
    void sizesThatLlavaLeavesOut();
    void keysThatTransformersIgnores();
    void usualRotaryBases();
    void headsOfEncodersHaveTheirActivation();
    void gemma3Rotary();
    void oldGemma3Rotary();
    void windowsOfQwen();
    void windowsOfGptNeo();
    void positionsBeginLater();
    void camembertIsRoberta();
    void oldEncoderNames();
    void yarn();
    void stretchedContexts();
    void originalContextOutsideTheParameters();
    void fusedMatricesAreReported();
    void alibiSlopes();
};

void TestFamilyTraps::neoxOldKeys() {
    ModelVariant variant("gpt_neox");
    variant.config.erase("rope_parameters");
    variant.config["rotary_pct"] = 0.5;
    variant.config["rotary_emb_base"] = 500;
    const RotarySpec rotary = variant.loaded()->spec.rotary;
    QCOMPARE(rotary.d_rotary, std::size_t{8});
    QCOMPARE(rotary.base, 500.0);
    variant.config.erase("rotary_pct");
    QCOMPARE(variant.loaded()->spec.rotary.d_rotary, std::size_t{4}); // a quarter of 16
}

void TestFamilyTraps::neoxOldNames() {
    ModelVariant variant("gpt_neox");
    replacePrefix(variant, "lm_head.", "embed_out.");
    same(variant.loaded()->weights.W_U.floats(), loadUnchanged("gpt_neox")->weights.W_U.floats());
}

void TestFamilyTraps::storedHeadsAreNotTied_data() {
    QTest::addColumn<QString>("model");
    for (const char* model : {"llama", "gpt_neox", "bert-untied"})
        QTest::newRow(model) << QString::fromLatin1(model);
}

/// transformers ties embedding and unembedding only where both are the same (tie_weights).
void TestFamilyTraps::storedHeadsAreNotTied() {
    QFETCH(QString, model);
    ModelVariant variant(model.toStdString());
    variant.config["tie_word_embeddings"] = true;
    const auto found = variant.loaded();
    const auto untied = loadUnchanged(model.toStdString());
    QVERIFY(!found->spec.tied_unembedding);
    same(found->weights.W_U.floats(), untied->weights.W_U.floats());
    same(found->weights.b_U, untied->weights.b_U);
    QVERIFY(std::ranges::any_of(found->report.notes, [](const std::string& note) {
        return note.ends_with("': the two are not tied, as in transformers.");
    }));
}

void TestFamilyTraps::causalMaskOfOldFiles() {
    const std::pair<const char*, const char*> buffers[] = {
        {"gpt_neox", "gpt_neox.layers.0.attention.bias"},
        {"gpt_neox", "gpt_neox.layers.0.attention.masked_bias"},
        {"gpt_neox", "gpt_neox.layers.1.attention.rotary_emb.inv_freq"},
        {"gpt_neo", "transformer.h.0.attn.attention.bias"},
        {"gpt_neo", "transformer.h.3.attn.attention.masked_bias"},
        {"gptj", "transformer.h.0.attn.bias"},
        {"mistral-window", "model.layers.0.self_attn.rotary_emb.inv_freq"},
        {"falcon-mqa", "transformer.h.1.self_attention.rotary_emb.inv_freq"},
        {"roberta", "roberta.embeddings.position_ids"},
    };
    for (const auto& [model, tensor] : buffers) {
        ModelVariant variant(model);
        variant.add(tensor, {1, 4});
        const auto report = variant.loaded()->report;
        QCOMPARE(report.ignored.size(), std::size_t{1});
        QCOMPARE(report.ignored.front().tensor, std::string(tensor));
    }
}

void TestFamilyTraps::gainsAreStoredMinusOne() {
    ModelVariant variant("gemma");
    const auto model = variant.loaded();
    const FileTensor& stored = variant.tensor("model.layers.1.post_attention_layernorm.weight");
    for (std::size_t i = 0; i < stored.values.size(); ++i)
        QCOMPARE(model->weights.layers[1].ln2.weight(i), stored.values[i] + 1.0f);
    const auto used =
        std::ranges::find(model->report.used, std::string("ln_final.w"), &LoadReport::Used::role);
    QVERIFY(used != model->report.used.end());
    QCOMPARE(used->transform, std::string("1 added"));
    QCOMPARE(model->spec.embedding_scale, std::sqrt(48.0));
}

void TestFamilyTraps::oldGemmaActivation() {
    ModelVariant variant("gemma");
    variant.config["hidden_act"] = "gelu";
    const auto model = variant.loaded();
    QVERIFY(model->spec.activation == Activation::GeluTanh);
    QCOMPARE(model->report.notes.front(), std::string("hidden_act 'gelu' is read as the tanh form, "
                                                      "which Gemma was trained with."));
    variant.config["hidden_activation"] = "gelu";
    QVERIFY(variant.loaded()->spec.activation == Activation::GeluErf);
}

void TestFamilyTraps::softcapsCanBeSwitchedOff() {
    ModelVariant variant("gemma2");
    QCOMPARE(variant.loaded()->spec.attention_softcap, 5.0);
    variant.config["attn_logit_softcapping"] = nullptr;
    variant.config.erase("final_logit_softcapping");
    const auto model = variant.loaded();
    QCOMPARE(model->spec.attention_softcap, 0.0);
    QCOMPARE(model->spec.logit_softcap, 30.0);
}

/// The text model of LLaVA 1.5 names its family and what differs from the defaults of transformers.
void TestFamilyTraps::sizesThatLlavaLeavesOut() {
    ModelVariant variant("llava");
    variant.config["text_config"] = {{"model_type", "llama"}, {"num_hidden_layers", 2}};
    const std::string refusal = variant.refusal();
    QVERIFY2(refusal.find("= [32000, 4096] by the config") != std::string::npos, refusal.c_str());
    variant.config["text_config"]["model_type"] = "llama4_text";
    QVERIFY(variant.refusal().find("has a text model of the type 'llama4_text' inside") !=
            std::string::npos);
}

void TestFamilyTraps::keysThatTransformersIgnores() {
    ModelVariant gemma3("gemma3");
    gemma3.config["attn_logit_softcapping"] = 5.0;
    const auto uncapped = gemma3.loaded();
    QCOMPARE(uncapped->spec.attention_softcap, 0.0);
    QVERIFY(uncapped->report.notes.front().starts_with("attn_logit_softcapping has no effect"));
    ModelVariant llama("llama");
    llama.config["rope_parameters"]["partial_rotary_factor"] = 0.5;
    const auto whole = llama.loaded();
    QCOMPARE(whole->spec.rotary.d_rotary, whole->spec.d_head);
    QVERIFY(whole->report.notes.front().starts_with("partial_rotary_factor has no effect"));
}

/// As transformers 5 means configs that say nothing of it.
void TestFamilyTraps::usualRotaryBases() {
    for (const auto& [name, base] : {std::pair("cohere", 5e5),
                                     {"cohere2", 1e4},
                                     {"helium", 1e5},
                                     {"persimmon", 1e4},
                                     {"cwm", 1e6},
                                     {"flex_olmo", 5e5},
                                     {"glm4", 1e4}}) {
        ModelVariant variant(name);
        variant.config.erase("rope_parameters");
        QCOMPARE(variant.loaded()->spec.rotary.base, base);
    }
}

/// Whether transformers' masked-LM head of a family asks for hidden_act or always uses GELU.
void TestFamilyTraps::headsOfEncodersHaveTheirActivation() {
    for (const auto& [name, always_gelu] : {std::pair("bert", false),
                                            {"ernie", false},
                                            {"megatron-bert", false},
                                            {"roformer", false},
                                            {"nomic_bert", false},
                                            {"albert", false},
                                            {"roberta", true},
                                            {"camembert", true},
                                            {"xlm-roberta", true},
                                            {"xlm-roberta-xl", true},
                                            {"roberta-prelayernorm", true},
                                            {"data2vec-text", true},
                                            {"mpnet", true},
                                            {"electra", true},
                                            {"luke", true},
                                            {"gte", true},
                                            {"jina_embeddings_v3", true}}) {
        ModelVariant variant(name);
        variant.config["hidden_act"] = "relu";
        const ModelSpec spec = variant.loaded()->spec;
        QVERIFY2(spec.activation == Activation::Relu, name);
        QVERIFY2(spec.headActivation() == (always_gelu ? Activation::GeluErf : Activation::Relu),
                 name);
    }
    ModelVariant distilbert("distilbert");
    distilbert.config["activation"] = "relu";
    QVERIFY(distilbert.loaded()->spec.headActivation() == Activation::Relu);
    ModelVariant decoder("modernbert-decoder");
    decoder.config["classifier_activation"] = "silu";
    QVERIFY(decoder.loaded()->spec.headActivation() == Activation::Silu);
}

void TestFamilyTraps::gemma3Rotary() {
    const ModelSpec spec = loadUnchanged("gemma3")->spec;
    QCOMPARE(spec.windows, (std::vector<std::size_t>{6, 0, 6}));
    QVERIFY(spec.rotary.scaling == RotaryScalingKind::Linear);
    QCOMPARE(spec.rotary.factor, 2.0);
    QVERIFY(spec.window_rotary.has_value());
    QVERIFY(spec.window_rotary->scaling == RotaryScalingKind::None);
    QCOMPARE(spec.window_rotary->base, 100.0);
}

void TestFamilyTraps::oldGemma3Rotary() {
    ModelVariant variant("gemma3");
    variant.config.erase("rope_parameters");
    variant.config.erase("layer_types");
    variant.config["sliding_window_pattern"] = 3;
    variant.config["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 8.0}};
    const ModelSpec spec = variant.loaded()->spec;
    QCOMPARE(spec.windows, (std::vector<std::size_t>{6, 6, 0}));
    QCOMPARE(spec.rotary.base, 1e6);
    QCOMPARE(spec.rotary.factor, 8.0);
    QCOMPARE(spec.window_rotary->base, 1e4);
    QVERIFY(spec.window_rotary->scaling == RotaryScalingKind::None);
}

void TestFamilyTraps::windowsOfQwen() {
    ModelVariant variant("qwen2");
    variant.config.erase("layer_types");
    variant.config["sliding_window"] = 12;
    variant.config["max_window_layers"] = 1;
    QCOMPARE(variant.loaded()->spec.window(1), std::size_t{0});
    variant.config["use_sliding_window"] = true;
    QCOMPARE(variant.loaded()->spec.windows, (std::vector<std::size_t>{0, 12}));
    variant.config["layer_types"] = {"sliding_attention", "full_attention"};
    QCOMPARE(variant.loaded()->spec.windows, (std::vector<std::size_t>{12, 0}));
}

void TestFamilyTraps::windowsOfGptNeo() {
    const ModelSpec spec = loadUnchanged("gpt_neo")->spec;
    QCOMPARE(spec.windows, (std::vector<std::size_t>{0, 7, 0, 7}));
    QCOMPARE(spec.attention_scale, std::vector<double>(4, 1.0));
}

void TestFamilyTraps::positionsBeginLater() {
    const auto opt = loadUnchanged("opt");
    QCOMPARE(opt->spec.position_offset, std::size_t{2});
    QCOMPARE(opt->weights.W_pos.shape(), (Shape{66, 48}));
    QCOMPARE(opt->spec.n_ctx, std::size_t{64});
    ModelVariant roberta("roberta");
    roberta.config["pad_token_id"] = 0;
    QCOMPARE(roberta.loaded()->spec.position_offset, std::size_t{1});
    QCOMPARE(roberta.loaded()->spec.n_ctx, std::size_t{65});
}

void TestFamilyTraps::camembertIsRoberta() {
    for (const char* type : {"camembert", "xlm-roberta"}) {
        ModelVariant variant("roberta");
        variant.config["model_type"] = type;
        QCOMPARE(variant.loaded()->spec.family, std::string(type));
    }
}

void TestFamilyTraps::oldEncoderNames() {
    ModelVariant variant("roberta");
    variant.tensor("roberta.embeddings.LayerNorm.weight").name =
        "roberta.embeddings.LayerNorm.gamma";
    variant.tensor("roberta.embeddings.LayerNorm.bias").name = "roberta.embeddings.LayerNorm.beta";
    same(variant.loaded()->weights.ln_embed.weight,
         loadUnchanged("roberta")->weights.ln_embed.weight);
}

void TestFamilyTraps::yarn() {
    ModelVariant variant("rope-yarn");
    QCOMPARE(variant.loaded()->spec.rotary.amplitude, 0.1 * std::log(4.0) + 1.0);
    auto& parameters = variant.config["rope_parameters"];
    parameters["mscale"] = 0.5;
    parameters["mscale_all_dim"] = 2.0;
    const double log4 = std::log(4.0);
    QCOMPARE(variant.loaded()->spec.rotary.amplitude, (0.05 * log4 + 1.0) / (0.2 * log4 + 1.0));
    parameters["attention_factor"] = 1.25;
    parameters["truncate"] = false;
    parameters["beta_fast"] = 16;
    const RotarySpec rotary = variant.loaded()->spec.rotary;
    QCOMPARE(rotary.amplitude, 1.25);
    QVERIFY(!rotary.whole_pairs);
    QCOMPARE(rotary.beta_fast, 16.0);
    QCOMPARE(rotary.original_context, 16.0);
}

/// Prompts may be as long as the scaling makes them.
void TestFamilyTraps::stretchedContexts() {
    ModelVariant variant("llama");
    const auto contextWith = [&](const char* type) {
        variant.config["rope_parameters"] = {
            {"rope_type", type}, {"rope_theta", 10000.0}, {"factor", 3.0}};
        return variant.loaded()->spec.n_ctx;
    };
    QCOMPARE(contextWith("default"), std::size_t{64});
    QCOMPARE(contextWith("dynamic"), std::size_t{192});
    QCOMPARE(contextWith("yarn"), std::size_t{192});
    QCOMPARE(contextWith("linear"), std::size_t{64});
    QCOMPARE(contextWith("ntk"), std::size_t{64});
    const RotarySpec ntk = variant.loaded()->spec.rotary;
    QVERIFY(ntk.scaling == RotaryScalingKind::None);
    QCOMPARE(ntk.base, 10000.0 * std::pow(3.0, 12.0 / 10.0));
}

void TestFamilyTraps::originalContextOutsideTheParameters() {
    const RotarySpec rotary = loadUnchanged("longrope-long")->spec.rotary;
    QVERIFY(rotary.scaling == RotaryScalingKind::LongRope);
    QCOMPARE(rotary.original_context, 16.0);
    QCOMPARE(rotary.amplitude, std::sqrt(1.0 + std::log(4.0) / std::log(16.0)));
    QCOMPARE(rotary.long_factors, (std::vector<double>{1.0, 2.5, 4.0, 8.0}));
}

void TestFamilyTraps::fusedMatricesAreReported() {
    const auto model = loadUnchanged("phi3");
    const auto how = [&](const char* role) {
        const auto used =
            std::ranges::find(model->report.used, std::string(role), &LoadReport::Used::role);
        return used == model->report.used.end() ? std::string() : used->transform;
    };
    QCOMPARE(how("blocks.1.mlp.W_gate"), std::string("first half of the rows, transposed"));
    QCOMPARE(how("blocks.1.mlp.W_in"), std::string("second half of the rows, transposed"));
}

/// Press et al. 2022: 1/2 … 1/256 for 8 heads; 12 heads add every other slope of 16.
void TestFamilyTraps::alibiSlopes() {
    ModelVariant variant("bloom");
    variant.config["n_head"] = 8;
    const auto slopes = variant.loaded()->spec.alibi_slopes;
    for (std::size_t head = 0; head < 8; ++head)
        QCOMPARE(slopes[head], std::exp2(-static_cast<double>(head + 1)));
    variant.config["n_head"] = 12;
    const auto twelve = variant.loaded()->spec.alibi_slopes;
    QCOMPARE(twelve[7], 1.0 / 256.0);
    QCOMPARE(twelve[8], std::exp2(-0.5));
    QCOMPARE(twelve[11], std::exp2(-3.5));
}

const headscope::test::TestRegistration<TestFamilyTraps> registration;

} // namespace test_family_traps

#include "test_family_traps.moc"
