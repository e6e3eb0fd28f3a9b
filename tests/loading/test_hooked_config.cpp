#include "core/loading/load_model.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>
#include <fstream>

namespace test_hooked_config {

using namespace headscope;
using namespace headscope::test;

namespace {

/// [head, a, b] to [head, b, a]
void transposeHeads(FileTensor& tensor) {
    const Shape from = tensor.shape;
    std::vector<float> values(tensor.values.size());
    for (std::size_t head = 0; head < from[0]; ++head)
        for (std::size_t a = 0; a < from[1]; ++a)
            for (std::size_t b = 0; b < from[2]; ++b)
                values[(head * from[2] + b) * from[1] + a] =
                    tensor.values[(head * from[1] + a) * from[2] + b];
    tensor.values = values;
    tensor.shape = {from[0], from[2], from[1]};
}

ModelVariant oldLayout(const std::string& name) {
    ModelVariant variant(name);
    for (FileTensor& tensor : variant.tensors)
        if (tensor.shape.size() == 3)
            transposeHeads(tensor);
    return variant;
}

bool isNoted(const Model& model, const std::string& part) {
    return std::ranges::any_of(model.report.notes, [&](const std::string& note) {
        return note.find(part) != std::string::npos;
    });
}

const std::string kTransposedNote =
    "The matrices of single heads are stored as [head, d_head, d_model]";

} // namespace

/// What the cfg of a TransformerLens checkpoint means, and how its tensors lie.
class TestHookedConfig : public QObject {
    Q_OBJECT

private slots:
    void specs();
    void configByAnyName();
    void sizesThatAreDerived();
    void keysOfOldToys();
    void everyKeyIsKnown();
    void biasesOfLogitsMayLack();
    void buffersAreLeftAside();
    void oldLayoutByItsShapes();
    void oldLayoutByChoice();
    void choiceAgainstTheShapes();
    void refusals_data();
    void refusals();
};

void TestHookedConfig::specs() {
    const ModelSpec grouped = loadUnchanged("hooked-grouped")->spec;
    QCOMPARE(grouped.family, std::string("hooked_transformer"));
    QCOMPARE(grouped.n_kv_heads, std::size_t{2});
    QCOMPARE(grouped.d_head, std::size_t{6});
    QVERIFY(grouped.norm_placement == NormPlacement::Sandwich);
    QVERIFY(grouped.qk_norm == QkNorm::PerHead);
    QVERIFY(grouped.rotary.pairs == RotaryPairs::Adjacent);
    QCOMPARE(grouped.windows, (std::vector<std::size_t>{3, 0}));
    QCOMPARE(grouped.window_rotary->base, 50.0);
    QVERIFY(grouped.mlp_bias_behind_gate);
    const ModelSpec solu = loadUnchanged("hooked-solu")->spec;
    QVERIFY(solu.mlp_norm && solu.activation == Activation::Solu);
    QVERIFY(solu.finalNorm().kind == NormKind::RmsNorm && solu.norm.kind == NormKind::LayerNorm);
    QCOMPARE(solu.attention_scale[0], 2.0 * solu.attention_scale[1]);
    const ModelSpec classifier = loadUnchanged("hooked-classifier")->spec;
    QVERIFY(!classifier.causal);
    QCOMPARE(classifier.outputs(), std::size_t{2});
    const ModelSpec plain = loadUnchanged("hooked-plain")->spec;
    QVERIFY(plain.norm_placement == NormPlacement::None && !plain.final_norm);
    QVERIFY(plain.mlp == MlpKind::None);
    const ModelSpec shortformer = loadUnchanged("hooked-shortformer")->spec;
    QVERIFY(shortformer.positions == PositionKind::Shortformer);
    QCOMPARE(shortformer.attention_scale, (std::vector<double>{1.0, 1.0}));
}

/// config.json beside the file or an attribute, also named cfg; in safetensors the metadata.
void TestHookedConfig::configByAnyName() {
    const auto expected = loadUnchanged("hooked-plain");
    ModelVariant beside("hooked-plain");
    beside.config_inside = false;
    QVERIFY(sameWeights(*beside.loaded(), *expected));
    const auto folder = beside.write().parent_path();
    std::filesystem::rename(folder / "config.json", folder / "cfg.json");
    const auto as_cfg =
        require(loadModel(beside.write().parent_path() / beside.write().filename()));
    QVERIFY(sameWeights(*as_cfg, *expected));
    const auto metadata =
        require(loadModel(HEADSCOPE_TEST_DATA "/fixtures/hooked-plain.safetensors"));
    QVERIFY(sameWeights(*metadata, *expected));
    QCOMPARE(metadata->report.config_source,
             std::string("attribute 'cfg' of hooked-plain.safetensors"));
}

/// TransformerLens writes -1 for what follows from the rest.
void TestHookedConfig::sizesThatAreDerived() {
    ModelVariant variant("hooked-wide");
    variant.config["d_vocab_out"] = -1;
    variant.config["attn_scale"] = -1.0;
    variant.config.erase("d_mlp");
    variant.config["d_mlp"] = nullptr;
    QVERIFY(variant.refusal().find("d_mlp") != std::string::npos); // 4·d_model is not what it has
    variant.config["d_mlp"] = 16;
    const auto model = variant.loaded();
    QVERIFY(sameWeights(*model, *loadUnchanged("hooked-wide")));
    QCOMPARE(model->spec.d_vocab_out, std::size_t{0});
    QCOMPARE(model->spec.attention_scale[0], 1.0 / std::sqrt(12.0));
    ModelVariant heads("hooked-lnpre");
    heads.config["n_heads"] = -1; // 12 / 5 rounds to 2, and there are 3
    QVERIFY(heads.refusal().find("[3, 12, 5]") != std::string::npos);
}

/// As in the configs of redwood_attn_2l and of the toys with SoLU.
void TestHookedConfig::keysOfOldToys() {
    ModelVariant variant("hooked-shortformer");
    variant.config.erase("normalization_type");
    variant.config.erase("positional_embedding_type");
    variant.config["normalization"] = "LN";
    variant.config["shortformer_pos"] = true;
    const ModelSpec spec = variant.loaded()->spec;
    QVERIFY(spec.positions == PositionKind::Shortformer);
    QVERIFY(spec.norm.kind == NormKind::LayerNorm && spec.final_norm);
    ModelVariant bare("hooked-plain");
    bare.config.erase("normalization_type");
    bare.config["normalization"] = nullptr;
    QVERIFY(bare.loaded()->spec.norm_placement == NormPlacement::None);
}

void TestHookedConfig::everyKeyIsKnown() {
    for (const std::string& name : variantNames()) {
        if (!name.starts_with("hooked-"))
            continue;
        const auto unused = loadUnchanged(name)->report.unused_config_keys;
        QVERIFY2(unused.empty(), unused.empty() ? "" : (name + ": " + unused.front()).c_str());
    }
}

/// TransformerLens makes b_U of zeros and fills what a state_dict lacks.
void TestHookedConfig::biasesOfLogitsMayLack() {
    ModelVariant variant("hooked-plain");
    variant.remove("unembed.b_U");
    const auto model = variant.loaded();
    QCOMPARE(model->spec.output, OutputHead::Unembed);
    QVERIFY(model->weights.b_U.empty());
    QVERIFY(isNoted(*model, "The file has no unembed.b_U: the biases of the logits are 0"));
    variant.remove("unembed.W_U");
    QCOMPARE(variant.loaded()->spec.output, OutputHead::None);
}

void TestHookedConfig::buffersAreLeftAside() {
    const auto model = loadUnchanged("hooked-grouped");
    const auto& ignored = model->report.ignored;
    for (const char* const name :
         {"blocks.0.attn.IGNORE", "blocks.1.attn.rotary_sin", "blocks.1.attn.rotary_cos"})
        QVERIFY2(std::ranges::count(ignored, name, &LoadReport::Ignored::tensor) == 1, name);
}

void TestHookedConfig::oldLayoutByItsShapes() {
    for (const std::string name : {"hooked-lnpre", "hooked-grouped", "hooked-plain"}) {
        const ModelVariant variant = oldLayout(name);
        const auto model = variant.loaded();
        QVERIFY(sameWeights(*model, *loadUnchanged(name)));
        QVERIFY(isNoted(*model, kTransposedNote));
        const auto asked = require(loadModel(variant.write(), {.transpose_heads = true}));
        QVERIFY(sameWeights(*asked, *model));
    }
    QVERIFY(!isNoted(*loadUnchanged("hooked-lnpre"), kTransposedNote));
}

/// Where d_head is d_model no shape tells it.
void TestHookedConfig::oldLayoutByChoice() {
    const auto expected = loadUnchanged("hooked-wide");
    QVERIFY(isNoted(*expected, "--transpose-heads reads them the other way"));
    const ModelVariant variant = oldLayout("hooked-wide");
    QVERIFY(!sameWeights(*variant.loaded(), *expected));
    const auto model = require(loadModel(variant.write(), {.transpose_heads = true}));
    QVERIFY(sameWeights(*model, *expected));
    QVERIFY(isNoted(*model, kTransposedNote + ", as was asked for, and are transposed."));
}

void TestHookedConfig::choiceAgainstTheShapes() {
    const ModelVariant variant("hooked-lnpre");
    const auto asked = loadModel(variant.write(), {.transpose_heads = true});
    QVERIFY(!asked && asked.error().message.find("'blocks.0.attn.W_Q' lies as [head, d_model, "
                                                 "d_head], so there is nothing to transpose") !=
                          std::string::npos);
    const ModelVariant other("gpt2");
    const auto without = loadModel(other.write(), {.transpose_heads = true});
    QVERIFY(!without &&
            without.error().message.find("has no matrices of single heads") != std::string::npos);
}

void TestHookedConfig::refusals_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* model, const char* patch,
                        const char* expected) {
        QTest::addRow("%s", name) << QString::fromUtf8(model) << QString::fromUtf8(patch)
                                  << QString::fromUtf8(expected);
    };
    row("norm", "hooked-lnpre", R"({"normalization_type": "DyT"})",
        "asks for the normalization_type 'DyT', expected LN, LNPre, RMS, RMSPre or null.");
    row("positions", "hooked-lnpre", R"({"positional_embedding_type": "relative_positional_bias"})",
        "asks for the positional_embedding_type 'relative_positional_bias', expected standard");
    row("alibi both ways", "hooked-alibi", R"({"attention_dir": "bidirectional"})",
        "'alibi' of a bidirectional network");
    row("direction", "hooked-lnpre", R"({"attention_dir": "sideways"})",
        "has 'attention_dir' = 'sideways', expected 'causal' or 'bidirectional'");
    row("experts", "hooked-lnpre", R"({"num_experts": 4})", "mixtures of experts");
    row("sinks", "hooked-lnpre", R"({"use_attention_sinks": true})", "learned sinks");
    row("clipping", "hooked-lnpre", R"({"clip_qkv": 8.0})", "clipped queries");
    row("yarn", "hooked-grouped", R"({"use_yarn_rope": true})", "YaRN");
    row("4 bits", "hooked-lnpre", R"({"load_in_4bit": true})", "save the model in float32");
    row("activation", "hooked-lnpre", R"({"act_fn": "xielu"})", "activation 'xielu'");
    row("solu in a gate", "hooked-grouped", R"({"act_fn": "solu_ln"})", "in a gated MLP");
    row("qk norm beside LayerNorms", "hooked-lnpre", R"({"use_qk_norm": true})", "'use_qk_norm'");
    row("LayerNorm at both ends", "hooked-lnpre", R"({"use_normalization_before_and_after": true})",
        "with LayerNorms");
    row("normed embedding with positions", "hooked-lnpre", R"({"post_embedding_ln": true})",
        "'post_embedding_ln'");
    row("post-norm", "hooked-grouped", R"({"original_architecture": "Olmo2ForCausalLM"})",
        "open the original model.");
    row("scale of 0", "hooked-lnpre", R"({"attn_scale": 0})", "'attn_scale' = 0");
    row("scale that is no number", "hooked-lnpre", R"({"attn_scale": "big"})",
        "has 'attn_scale' = \"big\", expected a number");
    row("kinds of layers", "hooked-grouped", R"({"attn_types": ["local"]})",
        "has 1 attn_types, expected 'global' or 'local' for each of the 2 layers");
    row("a bias that no norm has", "hooked-solu", R"({"normalization_type": "LNPre"})",
        "norms of this normalization_type have no biases");
    row("a gain that no norm has", "hooked-grouped", R"({"normalization_type": "RMSPre"})",
        "norms of this normalization_type have no gains");
    row("positions without a table", "hooked-lnpre", R"({"positional_embedding_type": "none"})",
        "have no table");
    row("MLP of a network without", "hooked-lnpre", R"({"attn_only": true})", "has no place");
    row("number of outputs", "hooked-classifier", R"({"d_vocab_out": 3})",
        "expected [d_model, d_vocab_out] = [12, 3]");
    row("width of a head", "hooked-lnpre", R"({"d_head": 4})",
        "expected [n_heads, d_model, d_head] = [3, 12, 4]");
    row("negative size", "hooked-lnpre", R"({"n_ctx": -1})", "'n_ctx'");
    row("no width", "hooked-lnpre", R"({"d_head": null})", "lacks the key 'd_head'");
}

void TestHookedConfig::refusals() {
    QFETCH(QString, model);
    QFETCH(QString, patch);
    QFETCH(QString, expected);
    ModelVariant variant(model.toStdString());
    variant.config.merge_patch(nlohmann::json::parse(patch.toStdString()));
    const std::string refusal = variant.refusal();
    QVERIFY2(refusal.find(expected.toStdString()) != std::string::npos, refusal.c_str());
}

const headscope::test::TestRegistration<TestHookedConfig> registration;

} // namespace test_hooked_config

#include "test_hooked_config.moc"
