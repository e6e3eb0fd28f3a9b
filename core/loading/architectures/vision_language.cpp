// Language models with eyes or ears: the language model runs, what sees and hears is left aside.
// Without an image or a sound they compute what their text models compute alone.

#include "core/loading/architectures/common.h"
#include "core/loading/architectures/inner_texts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace headscope {

Architecture describePhi3(ConfigReader&, const TensorSource&);

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// The model_type of the text, by that of the whole, where the text has none of its own.
constexpr std::array kTextTypes{
    Pair{"audioflamingo3", "qwen2"},
    Pair{"aya_vision", "cohere2"},
    Pair{"blip-2", "opt"},
    Pair{"cohere2_vision", "cohere2"},
    Pair{"cohere_compass", "cohere_compass_text"},
    Pair{"deepseek_vl", "llama"},
    Pair{"deepseek_vl_hybrid", "llama"},
    Pair{"emu3", "emu3_text_model"},
    Pair{"exaone4_5", "exaone4"},
    Pair{"fast_vlm", "qwen2"},
    Pair{"fun_asr_nano", "qwen3"},
    Pair{"fuyu", "persimmon"},
    Pair{"gemma3", "gemma3_text"},
    Pair{"glm46v", "glm4v_text"},
    Pair{"glm4v", "glm4v_text"},
    Pair{"glm4v_moe", "glm4v_moe_text"},
    Pair{"glm_ocr", "glm_ocr_text"},
    Pair{"glmasr", "llama"},
    Pair{"glmga", "glm4v_text"},
    Pair{"got_ocr2", "qwen2"},
    Pair{"granite4_vision", "granite4_vision_text"},
    Pair{"granite_speech", "granite"},
    Pair{"granite_speech_plus", "granite"},
    Pair{"hunyuan_vl", "hunyuan_vl_text"},
    Pair{"hyperclovax_vision_v2", "hyperclovax"},
    Pair{"idefics2", "mistral"},
    Pair{"idefics3", "llama"},
    Pair{"instructblip", "opt"},
    Pair{"instructblipvideo", "opt"},
    Pair{"internvl", "qwen2"},
    Pair{"janus", "llama"},
    Pair{"kimi_k25", "deepseek_v3"},
    Pair{"lighton_ocr", "qwen3"},
    Pair{"llava", "llama"},
    Pair{"llava_next", "llama"},
    Pair{"llava_next_video", "llama"},
    Pair{"llava_onevision", "qwen2"},
    Pair{"mistral3", "mistral"},
    Pair{"moss_transcribe_diarize", "qwen3"},
    Pair{"musicflamingo", "qwen2"},
    Pair{"omniasr", "llama"},
    Pair{"ovis2", "qwen2"},
    Pair{"paddleocr_vl", "paddleocr_vl_text"},
    Pair{"perception_lm", "llama"},
    Pair{"pp_chart2table", "qwen2"},
    Pair{"qianfan_ocr", "qwen3"},
    Pair{"qwen2_5_omni_thinker", "qwen2_5_omni_text"},
    Pair{"qwen2_5_vl", "qwen2_5_vl_text"},
    Pair{"qwen2_audio", "qwen2"},
    Pair{"qwen2_vl", "qwen2_vl_text"},
    Pair{"qwen3_asr", "qwen3"},
    Pair{"qwen3_omni_moe_thinker", "qwen3_omni_moe_text"},
    Pair{"qwen3_vl", "qwen3_vl_text"},
    Pair{"qwen3_vl_moe", "qwen3_vl_moe_text"},
    Pair{"shieldgemma2", "gemma3_text"},
    Pair{"smolvlm", "llama"},
    Pair{"vibevoice", "qwen2"},
    Pair{"vibevoice_asr", "qwen2"},
    Pair{"video_llama_3", "qwen2"},
    Pair{"video_llava", "llama"},
    Pair{"vipllava", "llama"},
    Pair{"voxtral", "llama"},
};

/// Wholes whose logits are scaled and capped as their text models' are alone; others' are not.
constexpr std::array<std::string_view, 6> kScaledHeads{
    "blip-2",       "cohere_compass",    "granite4_vision", "hyperclovax_vision_v2",
    "instructblip", "instructblipvideo",
};

/// The model_type of a text that says `type`, or of the text of a whole that does.
std::string_view textType(std::string_view type) {
    const auto found = std::ranges::find(kTextTypes, type, &Pair::first);
    return found == kTextTypes.end() ? type : found->second;
}

/// Says of all tensors that see or hear why they are left aside.
void setAside(Architecture& architecture) {
    std::vector<ExtraRule> rules;
    for (const char* glob : {"*vision_*", "*visual*", "*image_*", "*video_tower.*", "*audio_*",
                             "*aligner.*", "*connector.*", "*multi_modal_projector.*", "*qformer.*",
                             "*vqmodel.*", "*_tokenizer_encoder.*", "mlp1.*"})
        rules.push_back({glob, "only the language model is run, not what sees or hears"});
    architecture.extras.insert(architecture.extras.begin(), rules.begin(), rules.end());
}

/// The config of the text; the whole itself where it has the keys of the text among its own, as
/// early configs of Qwen2-VL and HunyuanOCR do.
ConfigReader textConfig(ConfigReader& config, std::string_view whole) {
    auto text = config.object("text_config");
    if (!text && !whole.starts_with("qwen2") && whole != "hunyuan_vl")
        config.size({"text_config"});
    return text ? *text : config;
}

/// The family of a text model, whose usual sizes it assumes; null where there is none.
const Family* textFamily(ConfigReader& text, const std::string& type) {
    const auto known = [](std::span<const Family> all, std::string_view name) -> const Family* {
        const auto found = std::ranges::find(all, name, &Family::model_type);
        return found == all.end() || found->describe == &describeVisionLanguage ? nullptr : &*found;
    };
    const std::string_view name = textType(type);
    const Family* family = known(innerTexts(), name);
    if (family == nullptr)
        family = known(families(), name);
    if (family == nullptr)
        text.fail(ErrorCode::Unsupported, "has a text model of the type '" + type +
                                              "' inside, which is of no family that can be run; "
                                              "open a model whose text model is one.");
    else
        text.assume(usualSizes(name));
    return family;
}

/// The head follows what the config says of the whole, also against what it says of the text. One
/// that is not stored is tied unless the whole says no.
void tieHead(ConfigReader& config, Architecture& architecture, const TensorSource& file) {
    constexpr std::string_view name = "lm_head.weight";
    const bool stored = hasTensorEnding(file, name);
    const bool tied =
        config.flagOr({"tie_word_embeddings"}, architecture.spec.tied_unembedding || !stored);
    if (tied && !stored) {
        architecture.spec.tied_unembedding = true;
        std::erase_if(architecture.tensors,
                      [](const TensorRule& rule) { return rule.role == WeightRole::W_U; });
    } else if (!tied && stored) {
        architecture.spec.tied_unembedding = false;
        for (TensorRule& rule : architecture.tensors)
            if (rule.name == name)
                rule.role = WeightRole::W_U;
    }
}

/// transformers writes Qianfan-OCR's text model with one module more around its layers than it has.
void nameAsSaved(Architecture& architecture, const TensorSource& file) {
    constexpr std::string_view layers = "model.layers.";
    constexpr std::string_view as_saved = "model.encoder.layers.";
    const std::string inside = "language_model." + std::string(as_saved);
    if (std::ranges::none_of(file.tensors(), [&](const TensorInfo& tensor) {
            return tensor.name.find(inside) != std::string::npos;
        }))
        return;
    for (TensorRule& rule : architecture.tensors)
        if (rule.name.starts_with(layers))
            rule.name.replace(0, layers.size(), as_saved);
}

/// transformers gives most wholes a head of their own, which is a matrix and nothing else.
void leaveLogits(ConfigReader& config, Architecture& architecture) {
    bool changed = std::exchange(architecture.spec.logit_softcap, 0.0) != 0.0;
    for (TensorRule& rule : architecture.tensors)
        if (rule.role == WeightRole::LnFinalWeight)
            changed |= std::exchange(rule.factor, 1.0) != 1.0;
    if (changed)
        config.note("What text_config says of scaled or capped logits has no effect, as in "
                    "transformers.");
}

} // namespace

Architecture describeVisionLanguage(ConfigReader& config, const TensorSource& file) {
    const std::string whole = config.text({"model_type"});
    ConfigReader text = textConfig(config, whole);
    if (config.error())
        return {};
    const Family* family = textFamily(text, text.textOr({"model_type"}, whole));
    if (family == nullptr)
        return {};
    Architecture architecture = family->describe(text, file);
    nameAsSaved(architecture, file);
    tieHead(config, architecture, file);
    if (std::ranges::find(kScaledHeads, whole) == kScaledHeads.end())
        leaveLogits(config, architecture);
    setAside(architecture);
    return architecture;
}

// Qwen2.5-Omni and Qwen3-Omni (Xu et al. 2025) have a model like those above as their thinker,
// beside a talker whose tensors have the same names.
Architecture describeQwenOmni(ConfigReader& config, const TensorSource& file) {
    auto thinker = config.object("thinker_config");
    if (!thinker) {
        config.size({"thinker_config"});
        return {};
    }
    Architecture omni = describeVisionLanguage(*thinker, file);
    const std::string prefix = "thinker.";
    omni.base_prefix = prefix + omni.base_prefix;
    for (TensorRule& rule : omni.tensors)
        rule.name = prefix + rule.name;
    for (const char* glob : {"talker.*", "token2wav.*", "code2wav.*"})
        omni.extras.push_back({glob, "only the thinker is run, not what speaks"});
    return omni;
}

// Phi-4-multimodal (Abouelenin et al. 2025): Phi-3 whose config is that of the whole.
Architecture describePhi4Multimodal(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"num_key_value_heads": 8, "max_position_embeddings": 131072,
                      "original_max_position_embeddings": 4096})");
    Architecture phi4 = describePhi3(config, file);
    setAside(phi4);
    return phi4;
}

} // namespace headscope
