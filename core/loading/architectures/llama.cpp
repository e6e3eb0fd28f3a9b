// The lineage of Llama: Llama, Mistral, Qwen, Phi, OLMo 2 and 3, StableLM, StarCoder 2.

#include "core/loading/architectures/llama_like.h"

#include <algorithm>

namespace headscope {

// Llama (Touvron et al. 2023): RMSNorm, rotary positions, gated MLP, grouped queries.

Architecture describeLlama(ConfigReader& config, const TensorSource&) {
    Architecture llama;
    llama.spec = readLlamaSpec(config);
    llama.spec.rotary = readRotary(config, llama.spec);
    llama.spec.activation = readActivation(config, {"hidden_act"}, "silu");
    llama.base_prefix = "model.";
    llama.tensors = llamaTensors(llama.spec);
    llama.extras = llamaBuffers();
    addAttentionBiases(config, llama);
    addMlpBiases(config, llama);
    return llama;
}

// Mistral (Jiang et al. 2023): Llama with a sliding window.
Architecture describeMistral(ConfigReader& config, const TensorSource&) {
    Architecture mistral;
    ModelSpec& spec = mistral.spec;
    spec = readLlamaSpec(config);
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 0),
                [](std::size_t) { return true; });
    mistral.base_prefix = "model.";
    mistral.tensors = llamaTensors(spec);
    mistral.extras = llamaBuffers();
    return mistral;
}

// Ministral 3 (Mistral AI 2025): Mistral with YaRN, and queries that grow with the logarithm of
// their position after the context that it was trained with.
Architecture describeMinistral3(ConfigReader& config, const TensorSource& file) {
    config.assume(R"({"num_key_value_heads": 8, "head_dim": 128, "rms_norm_eps": 1e-5,
                      "max_position_embeddings": 262144,
                      "rope_parameters": {
                          "rope_type": "yarn", "rope_theta": 1e6, "factor": 16.0,
                          "original_max_position_embeddings": 16384, "mscale": 1.0,
                          "mscale_all_dim": 1.0, "llama_4_scaling_beta": 0.1}})");
    Architecture ministral = describeMistral(config, file);
    ModelSpec& spec = ministral.spec;
    if (auto rotary = config.object("rope_parameters")) {
        rotary->passOver({"max_position_embeddings"});
        spec.query_growth = rotary->number("llama_4_scaling_beta").value_or(0.0);
        spec.growth_context = rotary->sizeOr({"original_max_position_embeddings"}, 16'384);
    }
    return ministral;
}

namespace {

/// Llama with the windows that use_sliding_window and max_window_layers switch on.
ModelSpec readQwenSpec(ConfigReader& config, const LlamaDefaults& defaults = {}) {
    ModelSpec spec = readLlamaSpec(config, defaults);
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    const bool windowed = config.flagOr({"use_sliding_window"}, false);
    const std::size_t window = config.sizeOr({"sliding_window"}, 4096);
    const std::size_t first = config.sizeOr({"max_window_layers"}, 28, 0);
    readWindows(config, spec, windowed ? window : 0,
                [first](std::size_t layer) { return layer >= first; });
    return spec;
}

} // namespace

// Qwen 1.5 to 2.5 (Bai et al. 2023): Llama with biases on queries, keys and values.
Architecture describeQwen2(ConfigReader& config, const TensorSource&) {
    Architecture qwen2;
    qwen2.spec = readQwenSpec(config);
    qwen2.base_prefix = "model.";
    qwen2.tensors = llamaTensors(qwen2.spec);
    append(qwen2.tensors, llamaQkvBiases());
    qwen2.extras = llamaBuffers();
    return qwen2;
}

// Qwen 3 (Yang et al. 2025): Llama with norms over the queries and keys of each head.
Architecture describeQwen3(ConfigReader& config, const TensorSource&) {
    Architecture qwen3;
    qwen3.spec = readQwenSpec(config, {.d_head = 128});
    qwen3.spec.qk_norm = QkNorm::PerHead;
    qwen3.base_prefix = "model.";
    qwen3.tensors = llamaTensors(qwen3.spec);
    append(qwen3.tensors, llamaQkNorms());
    qwen3.extras = llamaBuffers();
    addAttentionBiases(config, qwen3);
    return qwen3;
}

// Phi-1 to Phi-2 (Gunasekar et al. 2023): parallel residual with one LayerNorm, biases everywhere,
// half of each head rotated.

namespace {

ModelSpec readPhiSpec(ConfigReader& config) {
    ModelSpec spec = readLlamaSpec(config);
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-5)};
    spec.rotary = readRotary(config, spec, {.fraction = 0.5, .reads_fraction = true});
    spec.activation = readActivation(config, {"hidden_act"}, "gelu_new");
    spec.mlp = MlpKind::Plain;
    spec.parallel_residual = true;
    spec.shared_norm = true;
    spec.qk_norm = config.flagOr({"qk_layernorm"}, false) ? QkNorm::PerHead : QkNorm::None;
    return spec;
}

} // namespace

Architecture describePhi(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture phi;
    phi.spec = readPhiSpec(config);
    phi.base_prefix = "model.";
    phi.tensors = {
        {W_E, "model.embed_tokens.weight"},
        {Ln1Weight, "model.layers.{}.input_layernorm.weight"},
        {Ln1Bias, "model.layers.{}.input_layernorm.bias"},
        {W_Q, "model.layers.{}.self_attn.q_proj.weight", Transposed},
        {W_K, "model.layers.{}.self_attn.k_proj.weight", Transposed},
        {W_V, "model.layers.{}.self_attn.v_proj.weight", Transposed},
        {W_O, "model.layers.{}.self_attn.dense.weight", Transposed},
        {b_O, "model.layers.{}.self_attn.dense.bias"},
        {W_in, "model.layers.{}.mlp.fc1.weight", Transposed},
        {b_in, "model.layers.{}.mlp.fc1.bias"},
        {W_out, "model.layers.{}.mlp.fc2.weight", Transposed},
        {b_out, "model.layers.{}.mlp.fc2.bias"},
        {LnFinalWeight, "model.final_layernorm.weight"},
        {LnFinalBias, "model.final_layernorm.bias"},
        {phi.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
        {b_U, "lm_head.bias"},
    };
    append(phi.tensors, llamaQkvBiases());
    if (phi.spec.qk_norm == QkNorm::PerHead)
        append(phi.tensors, {{QNormWeight, "model.layers.{}.self_attn.q_layernorm.weight"},
                             {QNormBias, "model.layers.{}.self_attn.q_layernorm.bias"},
                             {KNormWeight, "model.layers.{}.self_attn.k_layernorm.weight"},
                             {KNormBias, "model.layers.{}.self_attn.k_layernorm.bias"}});
    phi.extras = llamaBuffers();
    return phi;
}

// Phi-3 and Phi-4 (Abdin et al. 2024): Llama with queries, keys and values in one matrix, gate and
// up projection in another.
Architecture describePhi3(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture phi3;
    ModelSpec& spec = phi3.spec;
    spec = readLlamaSpec(config, {.n_ctx = 4096, .eps = 1e-5});
    spec.rotary = readRotary(config, spec, {.reads_fraction = true});
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 0),
                [](std::size_t) { return true; });
    phi3.base_prefix = "model.";
    phi3.tensors = llamaEmbeddings(spec);
    append(phi3.tensors, llamaInputNorms());
    append(phi3.tensors, {{W_QKV, "model.layers.{}.self_attn.qkv_proj.weight", Transposed},
                          {W_O, "model.layers.{}.self_attn.o_proj.weight", Transposed},
                          {W_gate, "model.layers.{}.mlp.gate_up_proj.weight", FirstHalf},
                          {W_in, "model.layers.{}.mlp.gate_up_proj.weight", SecondHalf},
                          {W_out, "model.layers.{}.mlp.down_proj.weight", Transposed}});
    phi3.extras = llamaBuffers();
    return phi3;
}

// OLMo 2 (OLMo Team 2025): Llama that normalises what a branch adds, not what it reads, and all
// queries and all keys of a position. OLMo 3 has windows in three layers of four, and stretches the
// rotary positions of the others alone.

namespace {

/// All but the rotary positions.
Architecture describeOlmo2Like(ConfigReader& config) {
    using enum WeightRole;
    Architecture olmo2;
    ModelSpec& spec = olmo2.spec;
    spec = readLlamaSpec(config, {.eps = 1e-5});
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.norm_placement = NormPlacement::Output;
    spec.qk_norm = QkNorm::AllHeads;
    olmo2.base_prefix = "model.";
    olmo2.tensors = llamaEmbeddings(spec);
    append(olmo2.tensors, llamaOutputNorms());
    append(olmo2.tensors, llamaProjections());
    append(olmo2.tensors, llamaQkNorms());
    append(olmo2.tensors, llamaGatedMlp());
    olmo2.extras = llamaBuffers();
    addAttentionBiases(config, olmo2);
    return olmo2;
}

} // namespace

Architecture describeOlmo2(ConfigReader& config, const TensorSource&) {
    Architecture olmo2 = describeOlmo2Like(config);
    olmo2.spec.rotary = readRotary(config, olmo2.spec);
    return olmo2;
}

Architecture describeOlmo3(ConfigReader& config, const TensorSource&) {
    Architecture olmo3 = describeOlmo2Like(config);
    ModelSpec& spec = olmo3.spec;
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 4096),
                [](std::size_t layer) { return (layer + 1) % 4 != 0; });
    const double base = config.positiveOr({"rope_theta"}, 500'000.0);
    spec.rotary = readRotary(config, spec, {.base = base, .layer_type = "full_attention"});
    spec.window_rotary = readWindowRotary(config, spec, base);
    return olmo3;
}

// StableLM (Bellagente et al. 2024): Llama with LayerNorm and a quarter of each head rotated. The
// 12B model normalises queries and keys with gains for each head.
Architecture describeStablelm(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture stablelm;
    ModelSpec& spec = stablelm.spec;
    spec = readLlamaSpec(config, {.n_ctx = 4096});
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-5)};
    spec.rotary = readRotary(config, spec, {.fraction = 0.25, .reads_fraction = true});
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.parallel_residual = config.flagOr({"use_parallel_residual"}, false);
    spec.shared_norm = spec.parallel_residual;
    stablelm.base_prefix = "model.";
    stablelm.tensors = llamaTensors(spec);
    append(stablelm.tensors, llamaNormBiases());
    if (spec.shared_norm)
        std::erase_if(stablelm.tensors, [](const TensorRule& rule) {
            return rule.role == Ln2Weight || rule.role == Ln2Bias;
        });
    if (config.flagOr({"use_qkv_bias"}, false))
        append(stablelm.tensors, llamaQkvBiases());
    if (config.flagOr({"qk_layernorm"}, false)) {
        spec.qk_norm = QkNorm::PerHead;
        spec.qk_norm_gains_by_head = true;
        const std::string attention = "model.layers.{}.self_attn.";
        append(stablelm.tensors,
               {{QNormWeight, attention + "q_layernorm.norms.{}.weight", Layout::OneHead},
                {KNormWeight, attention + "k_layernorm.norms.{}.weight", Layout::OneHead}});
    }
    stablelm.extras = llamaBuffers();
    return stablelm;
}

// StarCoder 2 (Lozhkov et al. 2024): Llama with LayerNorm, a plain MLP, biases and a window.

namespace {

ModelSpec readStarcoder2Spec(ConfigReader& config) {
    ModelSpec spec = readLlamaSpec(config, {.n_ctx = 4096, .tied = true});
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"norm_epsilon"}, 1e-5)};
    spec.rotary = readRotary(config, spec);
    spec.mlp = MlpKind::Plain;
    spec.activation = readActivation(config, {"hidden_act"}, "gelu_pytorch_tanh");
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 0),
                [](std::size_t) { return true; });
    return spec;
}

} // namespace

Architecture describeStarcoder2(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture starcoder2;
    starcoder2.spec = readStarcoder2Spec(config);
    starcoder2.base_prefix = "model.";
    starcoder2.tensors = llamaEmbeddings(starcoder2.spec);
    append(starcoder2.tensors, llamaInputNorms());
    append(starcoder2.tensors, llamaNormBiases());
    append(starcoder2.tensors, llamaProjections());
    append(starcoder2.tensors, {{W_in, "model.layers.{}.mlp.c_fc.weight", Transposed},
                                {W_out, "model.layers.{}.mlp.c_proj.weight", Transposed}});
    if (config.flagOr({"use_bias"}, true)) {
        append(starcoder2.tensors, llamaQkvBiases());
        append(starcoder2.tensors, {{b_O, "model.layers.{}.self_attn.o_proj.bias"},
                                    {b_in, "model.layers.{}.mlp.c_fc.bias"},
                                    {b_out, "model.layers.{}.mlp.c_proj.bias"}});
    }
    starcoder2.extras = llamaBuffers();
    return starcoder2;
}

} // namespace headscope
