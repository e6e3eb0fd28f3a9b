// The lineage of Gemma: Gemma, Gemma 2, VaultGemma, Gemma 3.

#include "core/loading/architectures/llama_like.h"

#include <cmath>

namespace headscope {

namespace {

/// Llama with scaled embeddings and tanh GELU; rotary and windows are the family's own.
ModelSpec readGemmaSpec(ConfigReader& config, const LlamaDefaults& defaults) {
    config.refuse("use_bidirectional_attention", "bidirectional Gemmas are not supported");
    ModelSpec spec = readLlamaSpec(config, defaults);
    spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
    // The first configs said "gelu" under hidden_act and meant the tanh form.
    spec.activation = readActivation(config, {"hidden_activation", "hidden_act"}, "gelu_new");
    if (spec.activation == Activation::GeluErf && !config.has("hidden_activation")) {
        spec.activation = Activation::GeluTanh;
        config.note("hidden_act 'gelu' is read as the tanh form, which Gemma was trained with.");
    }
    return spec;
}

/// Gemma 2 and 3: 1/√query_pre_attn_scalar in place of 1/√d_head, soft-caps, norms at both ends of
/// each branch.
void readGemma2Attention(ConfigReader& config, ModelSpec& spec) {
    const double scalar = config.positiveOr({"query_pre_attn_scalar"}, 256.0);
    spec.attention_scale.assign(spec.n_layers, 1.0 / std::sqrt(scalar));
    spec.norm_placement = NormPlacement::Sandwich;
}

/// A soft-cap; null switches it off, and only where the key is absent `fallback` counts.
double readSoftcap(ConfigReader& config, std::string_view key, double fallback) {
    return config.positiveOr({key}, config.isNull(key) ? 0.0 : fallback);
}

/// The four norms of each layer under Gemma 2's names, final norm, projections and MLP.
std::vector<TensorRule> gemma2Tensors(const ModelSpec& spec) {
    using enum WeightRole;
    std::vector<TensorRule> rules = llamaEmbeddings(spec);
    append(rules, {{Ln1Weight, "model.layers.{}.input_layernorm.weight"},
                   {Ln1PostWeight, "model.layers.{}.post_attention_layernorm.weight"},
                   {Ln2Weight, "model.layers.{}.pre_feedforward_layernorm.weight"},
                   {Ln2PostWeight, "model.layers.{}.post_feedforward_layernorm.weight"}});
    append(rules, llamaProjections());
    append(rules, llamaGatedMlp());
    return rules;
}

} // namespace

// Gemma (Gemma Team 2024): Llama with scaled embeddings, tanh GELU, and gains stored minus 1.
Architecture describeGemma(ConfigReader& config, const TensorSource&) {
    Architecture gemma;
    gemma.spec = readGemmaSpec(config, {.d_head = 256, .n_ctx = 8192, .tied = true});
    gemma.spec.rotary = readRotary(config, gemma.spec);
    gemma.base_prefix = "model.";
    gemma.tensors = llamaTensors(gemma.spec);
    storeGainsMinusOne(gemma.tensors);
    gemma.extras = llamaBuffers();
    addAttentionBiases(config, gemma);
    return gemma;
}

// Gemma 2 (Gemma Team 2024): four norms per layer, soft-caps, a window on every other layer.
// VaultGemma (2025) is the same with the norms before both branches only.

namespace {

ModelSpec readGemma2Spec(ConfigReader& config) {
    ModelSpec spec = readGemmaSpec(config, {.d_head = 256, .n_ctx = 8192, .tied = true});
    readGemma2Attention(config, spec);
    spec.attention_softcap = readSoftcap(config, "attn_logit_softcapping", 50.0);
    spec.logit_softcap = readSoftcap(config, "final_logit_softcapping", 30.0);
    spec.rotary = readRotary(config, spec);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 4096),
                [](std::size_t layer) { return layer % 2 == 0; });
    return spec;
}

} // namespace

Architecture describeGemma2(ConfigReader& config, const TensorSource&) {
    Architecture gemma2;
    gemma2.spec = readGemma2Spec(config);
    gemma2.base_prefix = "model.";
    gemma2.tensors = gemma2Tensors(gemma2.spec);
    storeGainsMinusOne(gemma2.tensors);
    gemma2.extras = llamaBuffers();
    addAttentionBiases(config, gemma2);
    return gemma2;
}

Architecture describeVaultgemma(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    Architecture vault = describeGemma2(config, file);
    vault.spec.norm_placement = NormPlacement::Pre;
    std::erase_if(vault.tensors, [](const TensorRule& rule) {
        return rule.role == Ln1PostWeight || rule.role == Ln2PostWeight;
    });
    return vault;
}

// Gemma 3 (Gemma Team 2025): Gemma 2 without soft-caps, with norms over queries and keys, five
// windowed layers to one that sees all, and a rotary base for each of the two.

namespace {

constexpr LlamaDefaults kGemma3Defaults{.n_heads = 8,
                                        .n_kv_heads = 4,
                                        .d_head = 256,
                                        .d_vocab = 262'208,
                                        .n_ctx = 131'072,
                                        .tied = true};

ModelSpec readGemma3Spec(ConfigReader& config) {
    ModelSpec spec = readGemmaSpec(config, kGemma3Defaults);
    readGemma2Attention(config, spec);
    if (readSoftcap(config, "attn_logit_softcapping", 0.0) != 0.0)
        config.note("attn_logit_softcapping has no effect, as in transformers: Gemma 3 caps no "
                    "scores.");
    spec.logit_softcap = readSoftcap(config, "final_logit_softcapping", 0.0);
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t pattern = config.sizeOr({"sliding_window_pattern"}, 6);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 4096),
                [pattern](std::size_t layer) { return (layer + 1) % pattern != 0; });
    spec.rotary = readRotary(config, spec, {.base = 1e6, .layer_type = "full_attention"});
    spec.window_rotary =
        readWindowRotary(config, spec, config.positiveOr({"rope_local_base_freq"}, 10000.0));
    return spec;
}

} // namespace

Architecture describeGemma3Text(ConfigReader& config, const TensorSource&) {
    Architecture gemma3;
    gemma3.spec = readGemma3Spec(config);
    gemma3.base_prefix = "model.";
    gemma3.tensors = gemma2Tensors(gemma3.spec);
    append(gemma3.tensors, llamaQkNorms());
    storeGainsMinusOne(gemma3.tensors);
    gemma3.extras = llamaBuffers();
    addAttentionBiases(config, gemma3);
    return gemma3;
}

} // namespace headscope
