// Text models that exist only inside of models with eyes or ears, as kin of families that stand
// alone. Their rotary positions turn by time, row and column of an image, which are one and the
// same position in a text.

#include "core/loading/architectures/inner_texts.h"

#include "core/loading/architectures/common.h"

#include <array>

namespace headscope {

Architecture describeErnie45(ConfigReader&, const TensorSource&);
Architecture describeGlm4vText(ConfigReader&, const TensorSource&);
Architecture describeGlmOcrText(ConfigReader&, const TensorSource&);
Architecture describeGranite(ConfigReader&, const TensorSource&);
Architecture describeHunyuan(ConfigReader&, const TensorSource&);
Architecture describeLlama(ConfigReader&, const TensorSource&);
Architecture describeQwen2(ConfigReader&, const TensorSource&);
Architecture describeQwen3(ConfigReader&, const TensorSource&);
Architecture describeQwen3Moe(ConfigReader&, const TensorSource&);

namespace {

// Emu3 (Wang et al. 2024): Llama with grouped queries.
Architecture describeEmu3Text(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
                      "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 184622,
                      "max_position_embeddings": 9216, "rms_norm_eps": 1e-5,
                      "rope_theta": 1e6})");
    return describeLlama(config, file);
}

// Granite 4 Vision (Granite Team 2026).
Architecture describeGranite4VisionText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
                      "num_hidden_layers": 32, "vocab_size": 32000})");
    return describeGranite(config, file);
}

// HunyuanOCR (Tencent 2025).
Architecture describeHunyuanVlText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32,
                      "num_hidden_layers": 32, "vocab_size": 290943, "tie_word_embeddings": true})");
    config.passOver({"sep_token_id", "pad_id", "org_vocab_size"});
    return describeHunyuan(config, file);
}

// PaddleOCR-VL (Baidu 2025): ERNIE 4.5 that turns the halves of a head.
Architecture describePaddleOcrText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 1024, "intermediate_size": 3072, "num_attention_heads": 16,
                      "num_hidden_layers": 18, "vocab_size": 103424})");
    Architecture paddle = describeErnie45(config, file);
    paddle.spec.rotary.pairs = RotaryPairs::Halves;
    return paddle;
}

// Qwen2-VL (Wang et al. 2024) and Qwen2.5-VL (Bai et al. 2025).
Architecture describeQwen2VlText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 8192, "intermediate_size": 29568, "num_attention_heads": 64,
                      "num_hidden_layers": 80, "num_key_value_heads": 8, "vocab_size": 152064,
                      "max_position_embeddings": 32768, "rms_norm_eps": 1e-5,
                      "rope_theta": 1e6})");
    return describeQwen2(config, file);
}

// Qwen2.5-Omni (Xu et al. 2025).
Architecture describeQwenOmniText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 3584, "intermediate_size": 18944, "num_attention_heads": 28,
                      "num_hidden_layers": 28, "num_key_value_heads": 4, "vocab_size": 152064,
                      "max_position_embeddings": 32768, "rope_theta": 1e6})");
    return describeQwen2(config, file);
}

// Qwen3-Omni (Xu et al. 2025).
Architecture describeQwen3OmniText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 2048, "intermediate_size": 18944, "num_attention_heads": 28,
                      "num_hidden_layers": 28, "vocab_size": 3584, "norm_topk_prob": true,
                      "rope_theta": 1e6})");
    Architecture thinker = describeQwen3Moe(config, file);
    thinker.spec.windows.clear(); // whatever the config says
    return thinker;
}

// Qwen3-VL (Qwen Team 2025).
Architecture describeQwen3VlText(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"hidden_size": 4096, "intermediate_size": 22016, "num_attention_heads": 32,
                      "num_hidden_layers": 32, "num_key_value_heads": 32, "vocab_size": 151936,
                      "max_position_embeddings": 128000, "rope_theta": 5e5})");
    return describeQwen3(config, file);
}

constexpr std::array kInnerTexts{
    Family{"emu3_text_model", describeEmu3Text},
    Family{"glm4v_text", describeGlm4vText},
    Family{"glm_ocr_text", describeGlmOcrText},
    Family{"granite4_vision_text", describeGranite4VisionText},
    Family{"hunyuan_vl_text", describeHunyuanVlText},
    Family{"paddleocr_vl_text", describePaddleOcrText},
    Family{"qwen2_5_omni_text", describeQwenOmniText},
    Family{"qwen2_5_vl_text", describeQwen2VlText},
    Family{"qwen2_vl_text", describeQwen2VlText},
    Family{"qwen3_omni_moe_text", describeQwen3OmniText},
    Family{"qwen3_vl_text", describeQwen3VlText},
};

} // namespace

std::span<const Family> innerTexts() {
    return kInnerTexts;
}

} // namespace headscope
