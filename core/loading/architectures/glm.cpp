// The lineage of GLM: GLM-4, the 0414 models, and the text models of GLM-4.1V and GLM-OCR.

#include "core/loading/architectures/llama_like.h"

#include <string>

namespace headscope {

// GLM-4 (Team GLM 2024): Llama with half of each head rotated in adjacent pairs, biases on queries,
// keys and values, gate and up projection in one matrix. The 0414 models ("glm4") normalise what
// branches add, too.

namespace {

/// What a config means that does not say it.
struct GlmDefaults {
    LlamaDefaults sizes{.n_kv_heads = 2, .d_head = 128, .n_ctx = 131'072, .eps = 1.5625e-7};
    double fraction = 0.5; ///< of each head that is rotated
};

/// All but biases.
Architecture describeGlmLike(ConfigReader& config, const GlmDefaults& defaults = {}) {
    using enum WeightRole;
    using enum Layout;
    Architecture glm;
    ModelSpec& spec = glm.spec;
    spec = readLlamaSpec(config, defaults.sizes);
    spec.rotary = readRotary(config, spec, {.fraction = defaults.fraction, .reads_fraction = true});
    spec.rotary.pairs = RotaryPairs::Adjacent;
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    glm.base_prefix = "model.";
    glm.tensors = llamaEmbeddings(spec);
    append(glm.tensors, llamaProjections());
    append(glm.tensors, {{W_gate, "model.layers.{}.mlp.gate_up_proj.weight", FirstHalf},
                         {W_in, "model.layers.{}.mlp.gate_up_proj.weight", SecondHalf},
                         {W_out, "model.layers.{}.mlp.down_proj.weight", Transposed}});
    append(glm.tensors, llamaInputNorms());
    glm.extras = llamaBuffers();
    return glm;
}

void addGlmBiases(ConfigReader& config, Architecture& glm) {
    if (config.flagOr({"attention_bias"}, true))
        append(glm.tensors, llamaQkvBiases());
}

/// The 0414 models, which vision models grew from.
Architecture describeGlm4Like(ConfigReader& config, const GlmDefaults& defaults = {}) {
    using enum WeightRole;
    Architecture glm4 = describeGlmLike(config, defaults);
    glm4.spec.norm_placement = NormPlacement::Sandwich;
    append(glm4.tensors, {{Ln1PostWeight, "model.layers.{}.post_self_attn_layernorm.weight"},
                          {Ln2PostWeight, "model.layers.{}.post_mlp_layernorm.weight"}});
    return glm4;
}

} // namespace

Architecture describeGlm(ConfigReader& config, const TensorSource&) {
    Architecture glm = describeGlmLike(config);
    addGlmBiases(config, glm);
    return glm;
}

Architecture describeGlm4(ConfigReader& config, const TensorSource&) {
    Architecture glm4 = describeGlm4Like(config);
    addGlmBiases(config, glm4);
    return glm4;
}

// The text models of GLM-4.1V and GLM-4.6V (Zhipu AI 2025), whose heads share out the width, and
// which turn whole heads unless the config says otherwise.
Architecture describeGlm4vText(ConfigReader& config, const TensorSource&) {
    config.passOver({"attention_bias"}); // which transformers does not read
    Architecture glm4v =
        describeGlm4Like(config, {{.n_kv_heads = 2, .n_ctx = 32'768, .eps = 1e-5}, 1.0});
    append(glm4v.tensors, llamaQkvBiases());
    return glm4v;
}

// The text model of GLM-OCR (Zhipu AI 2026), without biases. Files of it hold layers after the
// last.
Architecture describeGlmOcrText(ConfigReader& config, const TensorSource&) {
    config.passOver({"attention_bias"}); // which transformers does not read
    Architecture glm_ocr =
        describeGlm4Like(config, {{.n_kv_heads = 8, .n_ctx = 131'072, .eps = 1e-5}, 1.0});
    const std::size_t further = config.sizeOr({"num_nextn_predict_layers"}, 0, 0);
    for (std::size_t layer = 0; layer < further; ++layer)
        glm_ocr.extras.push_back({"*layers." + std::to_string(glm_ocr.spec.n_layers + layer) + ".*",
                                  "a layer that guesses further tokens, which is not run"});
    return glm_ocr;
}

} // namespace headscope
