#include "tests/loading/dialect_check.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>

namespace test_vision_language {

using namespace headscope;
using headscope::test::FileTensor;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

/// A model with eyes or ears, and a fixture that computes what its text model does.
struct Whole {
    const char* name;
    const char* text;
};

constexpr Whole kWholes[] = {
    {"audioflamingo3", "qwen2"},
    {"aya_vision", "cohere2"},
    {"blip-2", "opt"},
    {"cohere2_vision", "cohere2"},
    {"cohere_compass", "cohere_compass_text"},
    {"deepseek_vl", "llama"},
    {"deepseek_vl_hybrid", "llama"},
    {"emu3", "llama"},
    {"exaone4_5", "exaone4"},
    {"fast_vlm", "qwen2"},
    {"fun_asr_nano", "qwen3"},
    {"fuyu", "persimmon"},
    {"gemma3", "gemma3"},
    {"glmasr", "llama"},
    {"got_ocr2", "qwen2"},
    {"granite4_vision", "granite"},
    {"granite_speech", "granite"},
    {"granite_speech_plus", "granite"},
    {"hunyuan_vl", "hunyuan_v1_dense"},
    {"hyperclovax_vision_v2", "hyperclovax"},
    {"idefics2", "mistral-window"},
    {"idefics3", "llama"},
    {"instructblip", "opt"},
    {"instructblipvideo", "opt"},
    {"internvl", "qwen2"},
    {"janus", "llama"},
    {"lighton_ocr", "qwen3"},
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"llava_next_video", "llama"},
    {"llava_onevision", "qwen2"},
    {"mistral3", "mistral-window"},
    {"moss_transcribe_diarize", "qwen3"},
    {"musicflamingo", "qwen2"},
    {"omniasr", "llama"},
    {"ovis2", "qwen2"},
    {"paddleocr_vl", "ernie4_5"},
    {"perception_lm", "llama"},
    {"pp_chart2table", "qwen2"},
    {"qianfan_ocr", "qwen3"},
    {"qwen2_5_omni_thinker", "qwen2"},
    {"qwen2_5_vl", "qwen2"},
    {"qwen2_audio", "qwen2"},
    {"qwen2_vl", "qwen2"},
    {"qwen3_asr", "qwen3"},
    {"qwen3_vl", "qwen3"},
    {"qwen3_vl_moe", "qwen3_moe"},
    {"shieldgemma2", "gemma3"},
    {"smolvlm", "llama"},
    {"vibevoice", "qwen2"},
    {"vibevoice_asr", "qwen2"},
    {"video_llama_3", "qwen2"},
    {"video_llava", "llama"},
    {"vipllava", "llama"},
    {"voxtral", "llama"},
};

void replacePrefix(ModelVariant& variant, const std::string& from, const std::string& to) {
    for (FileTensor& tensor : variant.tensors)
        if (tensor.name.starts_with(from))
            tensor.name = to + tensor.name.substr(from.size());
}

/// A fixture as the text model inside of another, which names no type of its own.
ModelVariant inside(const std::string& whole, const std::string& text, const std::string& prefix) {
    ModelVariant variant(text);
    replacePrefix(variant, "model.", prefix);
    if (prefix.starts_with("language_model."))
        replacePrefix(variant, "lm_head.", "language_model.lm_head.");
    variant.config.erase("model_type");
    variant.config = {{"model_type", whole}, {"text_config", variant.config}};
    return variant;
}

bool sameAttention(const Model& a, const Model& b) {
    return std::ranges::equal(a.weights.layers, b.weights.layers, [](const auto& x, const auto& y) {
        return std::ranges::equal(x.attn.W_QKV.floats().values(), y.attn.W_QKV.floats().values());
    });
}

bool sameGains(const Model& a, const Model& b) {
    return std::ranges::equal(a.weights.ln_final.weight.values(),
                              b.weights.ln_final.weight.values());
}

/// The matrix of each expert: [expert, rows, cols] to [expert, cols, rows].
void transposeExperts(FileTensor& tensor) {
    const std::size_t rows = tensor.shape[1];
    const std::size_t cols = tensor.shape[2];
    const std::vector<float> before = tensor.values;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const std::size_t row = i / cols % rows;
        tensor.values[i / (rows * cols) * rows * cols + i % cols * rows + row] = before[i];
    }
    std::swap(tensor.shape[1], tensor.shape[2]);
}

} // namespace

/// Text models inside of models that see or hear.
class TestVisionLanguage : public QObject {
    Q_OBJECT

private slots:
    void textsInsideOthers_data();
    void textsInsideOthers();
    void glmInsideOthers();
    void layersBehindTheLast();
    void wholesScaleNoLogits();
    void wholesThatScaleLogits();
    void headOfTheWhole();
    void usualsOfTexts();
    void textsAmongTheKeysOfTheWhole();
    void thinkerBesideItsTalker();
    void windowsOfQwen3Omni();
    void phi4Multimodal();
    void expertsEitherWay();
    void layersAsTransformersSavesThem();
};

void TestVisionLanguage::textsInsideOthers_data() {
    QTest::addColumn<QString>("whole");
    QTest::addColumn<QString>("text");
    for (const Whole& whole : kWholes)
        QTest::newRow(whole.name) << QString::fromLatin1(whole.name)
                                  << QString::fromLatin1(whole.text);
}

void TestVisionLanguage::textsInsideOthers() {
    QFETCH(QString, whole);
    QFETCH(QString, text);
    const auto alone = loadUnchanged(text.toStdString());
    for (const char* prefix : {"language_model.model.", "model.text_model."}) {
        ModelVariant variant = inside(whole.toStdString(), text.toStdString(), prefix);
        variant.add("model.vision_tower.patch_embedding.weight", {3, 4});
        variant.add("audio_tower.layers.0.self_attn.k_proj.bias", {4});
        const auto model = variant.loaded();
        QCOMPARE(model->spec.family, whole.toStdString());
        QVERIFY(sameAttention(*model, *alone));
        QCOMPARE(model->report.ignored.size(), std::size_t{2});
        for (const auto& ignored : model->report.ignored)
            QCOMPARE(ignored.reason,
                     std::string("only the language model is run, not what sees or hears"));
    }
}

void TestVisionLanguage::glmInsideOthers() {
    for (const char* whole : {"glm4v", "glm46v", "glmga"}) {
        ModelVariant variant("glm4v");
        variant.config["model_type"] = whole;
        variant.config["text_config"].erase("model_type");
        variant.config["text_config"]["rope_parameters"].erase("partial_rotary_factor");
        const ModelSpec spec = variant.loaded()->spec;
        QCOMPARE(spec.d_head, std::size_t{8});
        QCOMPARE(spec.rotary.d_rotary, std::size_t{8});
        QVERIFY(spec.rotary.pairs == RotaryPairs::Adjacent);
    }
}

void TestVisionLanguage::layersBehindTheLast() {
    ModelVariant variant("glm4v");
    variant.config["model_type"] = "glm_ocr";
    variant.config["text_config"].erase("model_type");
    std::erase_if(variant.tensors, [](const FileTensor& tensor) {
        return tensor.name.ends_with("_proj.bias") ||
               tensor.name.find("visual") != std::string::npos;
    });
    const std::string further = "model.language_model.layers.2.self_attn.q_proj.weight";
    variant.add(further, {32, 32});
    QVERIFY(variant.refusal().find(further) != std::string::npos);
    variant.config["text_config"]["num_nextn_predict_layers"] = 1;
    const auto model = variant.loaded();
    QCOMPARE(model->report.ignored.size(), std::size_t{1});
    QCOMPARE(model->report.ignored.front().tensor, further);
}

void TestVisionLanguage::wholesScaleNoLogits() {
    ModelVariant granite("granite");
    granite.config["logits_scaling"] = 1.0;
    const auto unscaled = granite.loaded();
    const auto speech = inside("granite_speech", "granite", "language_model.model.").loaded();
    QVERIFY(sameGains(*speech, *unscaled));
    QVERIFY(!sameGains(*speech, *loadUnchanged("granite")));
    QVERIFY(speech->report.notes.front().starts_with("What text_config says of scaled"));
    ModelVariant gemma = inside("gemma3", "gemma3", "language_model.model.");
    gemma.config["text_config"]["final_logit_softcapping"] = 30.0;
    QCOMPARE(gemma.loaded()->spec.logit_softcap, 0.0);
}

void TestVisionLanguage::wholesThatScaleLogits() {
    for (const auto& [whole, text] : {std::pair("granite4_vision", "granite"),
                                      {"hyperclovax_vision_v2", "hyperclovax"},
                                      {"cohere_compass", "cohere_compass_text"}})
        QVERIFY2(
            sameGains(*inside(whole, text, "model.language_model.").loaded(), *loadUnchanged(text)),
            whole);
}

void TestVisionLanguage::headOfTheWhole() {
    const auto alone = loadUnchanged("llama");
    ModelVariant variant = inside("llava", "llama", "model.language_model.");
    variant.config["text_config"]["tie_word_embeddings"] = true;
    variant.config["tie_word_embeddings"] = false;
    const auto untied = variant.loaded();
    QVERIFY(!untied->spec.tied_unembedding);
    QVERIFY(test::sameWeights(*untied, *alone));
    variant.config["text_config"]["tie_word_embeddings"] = false;
    variant.remove("lm_head.weight");
    QVERIFY(variant.loaded()->spec.output == OutputHead::None);
    variant.config.erase("tie_word_embeddings");
    QVERIFY(variant.loaded()->spec.tied_unembedding);
}

/// What transformers means where a config says nothing.
void TestVisionLanguage::usualsOfTexts() {
    ModelVariant variant = inside("qwen2_5_vl", "qwen2", "model.language_model.");
    for (const char* key : {"rope_parameters", "rms_norm_eps"})
        variant.config["text_config"].erase(key);
    const ModelSpec qwen = variant.loaded()->spec;
    QCOMPARE(qwen.rotary.base, 1e6);
    QCOMPARE(qwen.norm.eps, 1e-5);
    const auto paddle = inside("paddleocr_vl", "ernie4_5", "model.language_model.").loaded();
    QVERIFY(paddle->spec.rotary.pairs == RotaryPairs::Halves);
    ModelVariant audio = inside("qwen2_audio", "qwen2", "language_model.model.");
    audio.config["text_config"] = {{"num_hidden_layers", 2}, {"vocab_size", 156'032}};
    QVERIFY(audio.refusal().find("= [156032, 4096] by the config") != std::string::npos);
    ModelVariant blip = inside("blip-2", "opt", "language_model.model.");
    blip.config["text_config"]["model_type"] = "t5";
    QVERIFY(blip.refusal().find("has a text model of the type 't5' inside") != std::string::npos);
}

void TestVisionLanguage::textsAmongTheKeysOfTheWhole() {
    ModelVariant variant("hunyuan_v1_dense");
    variant.config["model_type"] = "hunyuan_vl";
    QVERIFY(test::sameWeights(*variant.loaded(), *loadUnchanged("hunyuan_v1_dense")));
}

void TestVisionLanguage::thinkerBesideItsTalker() {
    const auto alone = loadUnchanged("qwen2_5_omni");
    ModelVariant variant("qwen2_5_omni");
    const std::size_t aside = alone->report.ignored.size();
    for (const char* name : {"embed_tokens", "norm", "layers.0.self_attn.q_proj"})
        variant.add("talker.model." + std::string(name) + ".weight", {32, 32});
    const auto model = variant.loaded();
    QVERIFY(test::sameWeights(*model, *alone));
    QCOMPARE(model->report.ignored.size(), aside + 3);
    variant.config.erase("thinker_config");
    QVERIFY(variant.refusal().find("lacks the key 'thinker_config'") != std::string::npos);
}

void TestVisionLanguage::windowsOfQwen3Omni() {
    ModelVariant variant = inside("qwen3_omni_moe_thinker", "qwen3_moe", "model.");
    variant.config["text_config"].erase("norm_topk_prob");
    const auto thinker = variant.loaded();
    QVERIFY(sameAttention(*thinker, *loadUnchanged("qwen3_moe")));
    QVERIFY(thinker->spec.windows.empty());
    QVERIFY(thinker->spec.experts->weights_sum_to_one);
}

void TestVisionLanguage::phi4Multimodal() {
    ModelVariant variant("phi3");
    variant.config["model_type"] = "phi4_multimodal";
    variant.add("model.embed_tokens_extend.audio_embed.up_proj_for_speech.bias", {4});
    const auto model = variant.loaded();
    QVERIFY(test::sameWeights(*model, *loadUnchanged("phi3")));
    QCOMPARE(model->report.ignored.size(), std::size_t{1});
}

/// As Qwen3-VL-MoE was released, and as transformers writes it.
void TestVisionLanguage::expertsEitherWay() {
    ModelVariant variant("qwen3_vl_moe");
    for (FileTensor& tensor : variant.tensors)
        if (tensor.name.find(".experts.") != std::string::npos)
            transposeExperts(tensor);
    QVERIFY(test::sameWeights(*variant.loaded(), *loadUnchanged("qwen3_vl_moe")));
}

/// Of Qianfan-OCR, with a module more around the layers than the network has.
void TestVisionLanguage::layersAsTransformersSavesThem() {
    const auto model = loadUnchanged("qianfan_ocr");
    QCOMPARE(test::differsFrom(test::fixtureReference("qianfan_ocr"), model), std::string());
    ModelVariant plain("qianfan_ocr");
    for (FileTensor& tensor : plain.tensors)
        if (const auto at = tensor.name.find("model.encoder."); at != std::string::npos)
            tensor.name.erase(at + 6, 8);
    QVERIFY(test::sameWeights(*plain.loaded(), *model));
}

const headscope::test::TestRegistration<TestVisionLanguage> registration;

} // namespace test_vision_language

#include "test_vision_language.moc"
