// Text models that exist only inside of models with eyes or ears, as kin of families that exist by
// themselves. Their rotary positions turn by time, row and column of an image, which are one and
// the same position in a text.

#include "core/loading/architectures/inner_texts.h"

#include "core/loading/architectures/common.h"

#include <algorithm>
#include <array>

namespace headscope {

Architecture describeErnie45(ConfigReader&, const TensorSource&);
Architecture describeGlm4Moe(ConfigReader&, const TensorSource&);
Architecture describeGlm4vText(ConfigReader&, const TensorSource&);
Architecture describeGlmOcrText(ConfigReader&, const TensorSource&);
Architecture describeGranite(ConfigReader&, const TensorSource&);
Architecture describeHunyuan(ConfigReader&, const TensorSource&);
Architecture describeLlama(ConfigReader&, const TensorSource&);
Architecture describeQwen2(ConfigReader&, const TensorSource&);
Architecture describeQwen3(ConfigReader&, const TensorSource&);
Architecture describeQwen3Moe(ConfigReader&, const TensorSource&);

namespace {

// HunyuanOCR (Tencent 2025).
Architecture describeHunyuanVlText(ConfigReader& config, const TensorSource& file) {
    config.passOver({"sep_token_id", "pad_id", "org_vocab_size"});
    return describeHunyuan(config, file);
}

// PaddleOCR-VL (Baidu 2025): ERNIE 4.5 that turns the halves of a head.
Architecture describePaddleOcrText(ConfigReader& config, const TensorSource& file) {
    Architecture paddle = describeErnie45(config, file);
    paddle.spec.rotary.pairs = RotaryPairs::Halves;
    return paddle;
}

// Qwen3-Omni (Xu et al. 2025).
Architecture describeQwen3OmniText(ConfigReader& config, const TensorSource& file) {
    Architecture thinker = describeQwen3Moe(config, file);
    thinker.spec.windows.clear(); // whatever the config says
    return thinker;
}

/// Whether the file holds the experts' matrices as [expert, rows, …] and no square ones, which
/// transformers takes as it would write them.
bool holdsRowsFirst(const TensorSource& file, std::string_view name, std::size_t rows,
                    std::size_t cols) {
    return rows != cols && std::ranges::any_of(file.tensors(), [&](const TensorInfo& tensor) {
               return tensor.name.ends_with(name) && tensor.shape.size() == 3 &&
                      tensor.shape[1] == rows;
           });
}

// Qwen3-VL-MoE (Qwen Team 2025): as it was released, its experts are transposed compared with what
// transformers writes.
Architecture describeQwen3VlMoeText(ConfigReader& config, const TensorSource& file) {
    Architecture text = describeQwen3OmniText(config, file);
    if (!text.spec.experts)
        return text;
    text.spec.experts->weights_sum_to_one = true; // whatever the config says
    const std::size_t d_mlp = text.spec.experts->d_mlp;
    const bool gates = holdsRowsFirst(file, ".experts.gate_up_proj", text.spec.d_model, 2 * d_mlp);
    const bool outs = holdsRowsFirst(file, ".experts.down_proj", d_mlp, text.spec.d_model);
    for (TensorRule& rule : text.tensors) {
        if (gates && rule.layout == Layout::ExpertsFirstHalf)
            rule.layout = Layout::ExpertsFirstCols;
        if (gates && rule.layout == Layout::ExpertsSecondHalf)
            rule.layout = Layout::ExpertsSecondCols;
        if (outs && rule.layout == Layout::ExpertsTransposed)
            rule.layout = Layout::ExpertsAsStored;
    }
    return text;
}

// Those of Emu3 (Wang et al. 2024), GLM-4.5V (Zhipu AI 2025), Granite 4 Vision (Granite Team 2026),
// Qwen2-VL (Wang et al. 2024), Qwen2.5-VL (Bai et al. 2025), Qwen2.5-Omni (Xu et al. 2025) and
// Qwen3-VL (Qwen Team 2025) differ from their families in their usual sizes alone.
constexpr std::array kInnerTexts{
    Family{"emu3_text_model", describeLlama},
    Family{"glm4v_moe_text", describeGlm4Moe},
    Family{"glm4v_text", describeGlm4vText},
    Family{"glm_ocr_text", describeGlmOcrText},
    Family{"granite4_vision_text", describeGranite},
    Family{"hunyuan_vl_text", describeHunyuanVlText},
    Family{"paddleocr_vl_text", describePaddleOcrText},
    Family{"qwen2_5_omni_text", describeQwen2},
    Family{"qwen2_5_vl_text", describeQwen2},
    Family{"qwen2_vl_text", describeQwen2},
    Family{"qwen3_omni_moe_text", describeQwen3OmniText},
    Family{"qwen3_vl_moe_text", describeQwen3VlMoeText},
    Family{"qwen3_vl_text", describeQwen3},
};

struct UsualSizes {
    std::string_view model_type;
    std::string_view json;
};

constexpr std::array kUsualSizes{
    UsualSizes{"cohere2", R"({"hidden_size": 8192, "intermediate_size": 22528,
                              "num_attention_heads": 64, "num_hidden_layers": 40,
                              "vocab_size": 256000})"},
    UsualSizes{"emu3_text_model", R"({"hidden_size": 4096, "intermediate_size": 14336,
                                      "num_attention_heads": 32, "num_hidden_layers": 32,
                                      "num_key_value_heads": 8, "vocab_size": 184622,
                                      "max_position_embeddings": 9216, "rms_norm_eps": 1e-5,
                                      "rope_theta": 1e6})"},
    UsualSizes{"exaone4", R"({"hidden_size": 4096, "intermediate_size": 16384,
                              "num_hidden_layers": 32, "vocab_size": 102400})"},
    UsualSizes{"gemma3_text", R"({"hidden_size": 2304, "intermediate_size": 9216,
                                  "num_hidden_layers": 26})"},
    UsualSizes{"glm4v_moe_text", R"({"hidden_size": 4096, "intermediate_size": 10944,
                                     "num_attention_heads": 96, "num_hidden_layers": 46,
                                     "vocab_size": 151424, "max_position_embeddings": 65536,
                                     "attention_bias": true})"},
    UsualSizes{"glm4v_text", R"({"hidden_size": 4096, "intermediate_size": 13696,
                                 "num_attention_heads": 32, "num_hidden_layers": 40,
                                 "vocab_size": 151552})"},
    UsualSizes{"glm_ocr_text", R"({"hidden_size": 1024, "intermediate_size": 4096,
                                   "num_attention_heads": 16, "num_hidden_layers": 16,
                                   "vocab_size": 59392})"},
    UsualSizes{"granite", R"({"hidden_size": 4096, "intermediate_size": 11008,
                              "num_attention_heads": 32, "num_hidden_layers": 32,
                              "vocab_size": 32000})"},
    UsualSizes{"granite4_vision_text", R"({"hidden_size": 4096, "intermediate_size": 11008,
                                           "num_attention_heads": 32, "num_hidden_layers": 32,
                                           "vocab_size": 32000})"},
    UsualSizes{"hunyuan_vl_text", R"({"hidden_size": 4096, "intermediate_size": 11008,
                                      "num_attention_heads": 32, "num_hidden_layers": 32,
                                      "vocab_size": 290943, "tie_word_embeddings": true})"},
    UsualSizes{"hyperclovax", R"({"hidden_size": 4096, "intermediate_size": 11008,
                                  "num_attention_heads": 32, "num_hidden_layers": 32,
                                  "vocab_size": 32000})"},
    UsualSizes{"llama", R"({"hidden_size": 4096, "intermediate_size": 11008,
                            "num_attention_heads": 32, "num_hidden_layers": 32,
                            "vocab_size": 32000})"},
    UsualSizes{"mistral", R"({"hidden_size": 4096, "intermediate_size": 14336,
                              "num_attention_heads": 32, "num_hidden_layers": 32,
                              "num_key_value_heads": 8, "sliding_window": 4096,
                              "vocab_size": 32000})"},
    UsualSizes{"opt", R"({"hidden_size": 768, "ffn_dim": 3072, "num_attention_heads": 12,
                          "num_hidden_layers": 12, "vocab_size": 50272})"},
    UsualSizes{"paddleocr_vl_text", R"({"hidden_size": 1024, "intermediate_size": 3072,
                                        "num_attention_heads": 16, "num_hidden_layers": 18,
                                        "vocab_size": 103424})"},
    UsualSizes{"persimmon", R"({"hidden_size": 4096, "intermediate_size": 16384,
                                "num_attention_heads": 64, "num_hidden_layers": 36,
                                "vocab_size": 262144})"},
    UsualSizes{"qwen2", R"({"hidden_size": 4096, "intermediate_size": 22016,
                            "num_attention_heads": 32, "num_hidden_layers": 32,
                            "num_key_value_heads": 32, "vocab_size": 151936})"},
    UsualSizes{"qwen2_5_omni_text", R"({"hidden_size": 3584, "intermediate_size": 18944,
                                        "num_attention_heads": 28, "num_hidden_layers": 28,
                                        "num_key_value_heads": 4, "vocab_size": 152064,
                                        "max_position_embeddings": 32768, "rope_theta": 1e6})"},
    UsualSizes{"qwen2_5_vl_text", R"({"hidden_size": 8192, "intermediate_size": 29568,
                                      "num_attention_heads": 64, "num_hidden_layers": 80,
                                      "num_key_value_heads": 8, "vocab_size": 152064,
                                      "max_position_embeddings": 32768, "rms_norm_eps": 1e-5,
                                      "rope_theta": 1e6})"},
    UsualSizes{"qwen2_vl_text", R"({"hidden_size": 8192, "intermediate_size": 29568,
                                    "num_attention_heads": 64, "num_hidden_layers": 80,
                                    "num_key_value_heads": 8, "vocab_size": 152064,
                                    "max_position_embeddings": 32768, "rms_norm_eps": 1e-5,
                                    "rope_theta": 1e6})"},
    UsualSizes{"qwen3", R"({"hidden_size": 4096, "intermediate_size": 22016,
                            "num_attention_heads": 32, "num_hidden_layers": 32,
                            "num_key_value_heads": 32, "vocab_size": 151936})"},
    UsualSizes{"qwen3_omni_moe_text", R"({"hidden_size": 2048, "intermediate_size": 18944,
                                          "num_attention_heads": 28, "num_hidden_layers": 28,
                                          "vocab_size": 3584, "norm_topk_prob": true,
                                          "rope_theta": 1e6})"},
    UsualSizes{"qwen3_vl_moe_text", R"({"hidden_size": 2048, "intermediate_size": 5632,
                                        "num_attention_heads": 16, "num_hidden_layers": 24,
                                        "num_key_value_heads": 16, "vocab_size": 151936,
                                        "max_position_embeddings": 128000, "num_experts": 60,
                                        "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
                                        "rope_theta": 5e5})"},
    UsualSizes{"qwen3_vl_text", R"({"hidden_size": 4096, "intermediate_size": 22016,
                                    "num_attention_heads": 32, "num_hidden_layers": 32,
                                    "num_key_value_heads": 32, "vocab_size": 151936,
                                    "max_position_embeddings": 128000, "rope_theta": 5e5})"},
};

} // namespace

std::span<const Family> innerTexts() {
    return kInnerTexts;
}

std::string_view usualSizes(std::string_view model_type) {
    const auto found = std::ranges::find(kUsualSizes, model_type, &UsualSizes::model_type);
    return found == kUsualSizes.end() ? "{}" : found->json;
}

} // namespace headscope
