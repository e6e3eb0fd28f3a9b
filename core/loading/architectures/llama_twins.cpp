// Llama's network under other names, or with other flags: EXAONE 3, InternLM 3, EuroBERT, Jais 2,
// CWM, IQuest-Coder.

#include "core/loading/architectures/llama_like.h"

#include <string>

namespace headscope {

Architecture describeLlama(ConfigReader&, const TensorSource&);

// EXAONE 3 (LG AI Research 2024): Llama under other names.
Architecture describeExaone(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture exaone;
    ModelSpec& spec = exaone.spec;
    spec = readLlamaSpec(config, {.n_kv_heads = 8, .n_ctx = 4096, .eps = 1e-5});
    spec.rotary = readRotary(config, spec, {.base = 500'000.0});
    spec.activation = readActivation(config, {"hidden_act", "activation_function"}, "silu");
    exaone.base_prefix = "transformer.";
    const std::string block = "transformer.h.{}.";
    const std::string attention = block + "attn.attention.";
    exaone.tensors = {{W_E, "transformer.wte.weight"},
                      {LnFinalWeight, "transformer.ln_f.weight"},
                      {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
                      {Ln1Weight, block + "ln_1.weight"},
                      {Ln2Weight, block + "ln_2.weight"},
                      {W_Q, attention + "q_proj.weight", Transposed},
                      {W_K, attention + "k_proj.weight", Transposed},
                      {W_V, attention + "v_proj.weight", Transposed},
                      {W_O, attention + "out_proj.weight", Transposed},
                      {W_gate, block + "mlp.c_fc_0.weight", Transposed},
                      {W_in, block + "mlp.c_fc_1.weight", Transposed},
                      {W_out, block + "mlp.c_proj.weight", Transposed}};
    if (config.flagOr({"attention_bias"}, false))
        append(exaone.tensors, {{b_Q, attention + "q_proj.bias"},
                                {b_K, attention + "k_proj.bias"},
                                {b_V, attention + "v_proj.bias"},
                                {b_O, attention + "out_proj.bias"}});
    if (config.flagOr({"mlp_bias"}, false))
        append(exaone.tensors, {{b_gate, block + "mlp.c_fc_0.bias"},
                                {b_in, block + "mlp.c_fc_1.bias"},
                                {b_out, block + "mlp.c_proj.bias"}});
    exaone.extras = llamaBuffers();
    return exaone;
}

// InternLM 3 (Shanghai AI Laboratory 2025): Llama with other names for its flags.
Architecture describeInternlm3(ConfigReader& config, const TensorSource&) {
    Architecture internlm;
    ModelSpec& spec = internlm.spec;
    spec = readLlamaSpec(config, {.n_kv_heads = 2, .d_head = 128, .n_ctx = 32'768, .eps = 1e-5});
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    internlm.base_prefix = "model.";
    internlm.tensors = llamaTensors(spec);
    internlm.extras = llamaBuffers();
    if (config.flagOr({"qkv_bias", "attention_bias"}, false))
        append(internlm.tensors, llamaQkvBiases());
    if (config.flagOr({"bias", "mlp_bias"}, false)) {
        append(internlm.tensors, {{WeightRole::b_O, "model.layers.{}.self_attn.o_proj.bias"}});
        append(internlm.tensors, llamaMlpBiases());
    }
    return internlm;
}

// EuroBERT (Boizard et al. 2025): Llama that sees later tokens, with a masked-LM head of one
// matrix.
Architecture describeEurobert(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture eurobert;
    ModelSpec& spec = eurobert.spec;
    spec = readLlamaSpec(config, {.n_ctx = 8192, .eps = 1e-5});
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.causal = false;
    spec.embedding_hook_prefix = "embed.";
    eurobert.base_prefix = "model.";
    eurobert.tensors = llamaTensors(spec);
    eurobert.extras = llamaBuffers();
    addAttentionBiases(config, eurobert);
    if (config.flagOr({"mlp_bias"}, false)) {
        append(eurobert.tensors, llamaMlpBiases());
        append(eurobert.tensors, {{b_U, "lm_head.bias"}});
    }
    config.passOver({"classifier_pooling"});
    return eurobert;
}

// Jais 2 (Inception 2025): Llama with LayerNorms, biases, and a plain MLP with squared ReLU.
Architecture describeJais2(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    config.assume(R"({"attention_bias": true, "mlp_bias": true})");
    Architecture jais;
    ModelSpec& spec = jais.spec;
    spec = readLlamaSpec(config, {.n_ctx = 8192});
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-5)};
    spec.rotary = readRotary(config, spec);
    spec.mlp = MlpKind::Plain;
    spec.activation = readActivation(config, {"hidden_act"}, "relu2");
    jais.base_prefix = "model.";
    jais.tensors = llamaTensors(spec);
    append(jais.tensors, llamaNormBiases());
    jais.extras = llamaBuffers();
    addAttentionBiases(config, jais);
    addMlpBiases(config, jais);
    dropGate(jais.tensors);
    return jais;
}

// CWM (FAIR CodeGen Team 2025): Llama 3 with windows in three layers of four.
Architecture describeCwm(ConfigReader& config, const TensorSource&) {
    config.assume(R"({"rope_scaling": {
                          "rope_type": "llama3", "rope_theta": 1e6, "factor": 16.0,
                          "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                          "original_max_position_embeddings": 8192}})");
    Architecture cwm;
    ModelSpec& spec = cwm.spec;
    spec = readLlamaSpec(config, {.n_kv_heads = 8, .d_head = 128, .n_ctx = 131'072, .eps = 1e-5});
    spec.rotary = readRotary(config, spec, {.base = 1e6});
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 8192),
                [](std::size_t layer) { return layer % 4 != 0; });
    cwm.base_prefix = "model.";
    cwm.tensors = llamaTensors(spec);
    cwm.extras = llamaBuffers();
    addMlpBiases(config, cwm);
    return cwm;
}

// IQuest-Coder (IQuest Lab 2026): Llama.
Architecture describeIquestcoder(ConfigReader& config, const TensorSource& file) {
    config.refuse("clip_qkv", "clipped queries, keys and values are not supported");
    config.refuse("use_sliding_window", "this family has no windows");
    config.assume(R"({"num_key_value_heads": 8, "head_dim": 128, "rms_norm_eps": 1e-5,
                      "max_position_embeddings": 131072})");
    return describeLlama(config, file);
}

} // namespace headscope
