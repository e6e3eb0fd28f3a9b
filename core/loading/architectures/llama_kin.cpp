// Kin of Llama: OLMo, Helium, Seed-OSS, SmolLM 3, Arcee, EXAONE 4, Nemotron,
// ERNIE 4.5, Hunyuan.

#include "core/loading/architectures/llama_like.h"

#include <algorithm>

namespace headscope {

// OLMo (Groeneveld et al. 2024): Llama with LayerNorms that have neither gain nor bias.
Architecture describeOlmo(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture olmo;
    ModelSpec& spec = olmo.spec;
    spec = readLlamaSpec(config);
    spec.qkv_clip = readClip(config);
    spec.norm = {NormKind::LayerNorm, 1e-5};
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    olmo.base_prefix = "model.";
    olmo.tensors = {{W_E, "model.embed_tokens.weight"},
                    {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"}};
    append(olmo.tensors, llamaProjections());
    append(olmo.tensors, llamaGatedMlp());
    olmo.extras = llamaBuffers();
    addAttentionBiases(config, olmo);
    return olmo;
}

// Helium (Kyutai 2025): Llama with rotary positions in adjacent pairs.
Architecture describeHelium(ConfigReader& config, const TensorSource&) {
    Architecture helium;
    ModelSpec& spec = helium.spec;
    spec = readLlamaSpec(config, {.d_head = 128, .n_ctx = 4096, .eps = 1e-8});
    spec.rotary = readRotary(config, spec, {.base = 100'000.0});
    spec.rotary.pairs = RotaryPairs::Adjacent;
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    helium.base_prefix = "model.";
    helium.tensors = llamaTensors(spec);
    helium.extras = llamaBuffers();
    addQkvBiases(config, helium, false);
    addMlpBiases(config, helium);
    return helium;
}

// Seed-OSS (ByteDance Seed 2025): Llama with biases on queries, keys and values.
Architecture describeSeedOss(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture seed;
    ModelSpec& spec = seed.spec;
    spec = readLlamaSpec(config, {.d_head = 128, .n_ctx = 524'288});
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    seed.base_prefix = "model.";
    seed.tensors = llamaTensors(spec);
    seed.extras = llamaBuffers();
    addQkvBiases(config, seed, true);
    if (config.flagOr({"attention_out_bias"}, false))
        append(seed.tensors, {{b_O, "model.layers.{}.self_attn.o_proj.bias"}});
    addMlpBiases(config, seed);
    return seed;
}

// SmolLM 3 (Hugging Face 2025): Llama without rotary positions in every fourth layer.

namespace {

/// no_rope_layers has 1 for layers that turn; without it every no_rope_layer_interval-th does not.
std::vector<std::size_t> readUnrotatedLayers(ConfigReader& config, const ModelSpec& spec) {
    const std::size_t interval = config.sizeOr({"no_rope_layer_interval"}, 4);
    const std::vector<double> turns = config.numbers("no_rope_layers");
    if (!turns.empty() && turns.size() < spec.n_layers)
        config.fail(ErrorCode::Mismatch, "has " + std::to_string(turns.size()) +
                                             " no_rope_layers, expected one for each of the " +
                                             std::to_string(spec.n_layers) +
                                             " layers; correct the config.");
    std::vector<std::size_t> layers;
    for (std::size_t layer = 0; layer < spec.n_layers && !config.error(); ++layer)
        if (turns.empty() ? (layer + 1) % interval == 0 : turns[layer] == 0.0)
            layers.push_back(layer);
    return layers;
}

} // namespace

Architecture describeSmollm3(ConfigReader& config, const TensorSource&) {
    Architecture smollm3;
    ModelSpec& spec = smollm3.spec;
    spec = readLlamaSpec(config, {.n_kv_heads = 4, .n_ctx = 32'768, .tied = true});
    spec.rotary = readRotary(config, spec, {.base = 2'000'000.0});
    spec.unrotated_layers = readUnrotatedLayers(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    const bool windowed = config.flagOr({"use_sliding_window"}, false);
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 0),
                [&](std::size_t layer) { return windowed && spec.rotaryIn(layer) == nullptr; });
    smollm3.base_prefix = "model.";
    smollm3.tensors = llamaTensors(spec);
    smollm3.extras = llamaBuffers();
    addAttentionBiases(config, smollm3);
    addMlpBiases(config, smollm3);
    return smollm3;
}

// Arcee's AFM (2025): Llama with a plain MLP and squared ReLU.
Architecture describeArcee(ConfigReader& config, const TensorSource&) {
    Architecture arcee;
    ModelSpec& spec = arcee.spec;
    spec = readLlamaSpec(config, {.n_ctx = 4096, .eps = 1e-5});
    spec.rotary = readRotary(config, spec);
    spec.mlp = MlpKind::Plain;
    spec.activation = readActivation(config, {"hidden_act"}, "relu2");
    arcee.base_prefix = "model.";
    arcee.tensors = llamaTensors(spec);
    arcee.extras = llamaBuffers();
    addAttentionBiases(config, arcee);
    addMlpBiases(config, arcee);
    dropGate(arcee.tensors);
    return arcee;
}

// EXAONE 4 (LG AI Research 2025): Llama with norms over the queries and keys of each head and over
// what a branch adds. Where it has windows, the layers that see all turn nothing.
Architecture describeExaone4(ConfigReader& config, const TensorSource&) {
    Architecture exaone;
    ModelSpec& spec = exaone.spec;
    spec = readLlamaSpec(config, {.n_heads = 32, .n_kv_heads = 32, .eps = 1e-5});
    spec.rotary = readRotary(config, spec);
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.norm_placement = NormPlacement::Output;
    spec.qk_norm = QkNorm::PerHead;
    const std::size_t window =
        config.isNull("sliding_window") ? 0 : config.sizeOr({"sliding_window"}, 4096);
    const std::size_t pattern = config.sizeOr({"sliding_window_pattern"}, 4, 0);
    readWindows(config, spec, window,
                [&](std::size_t layer) { return pattern == 0 || (layer + 1) % pattern != 0; });
    if (window != 0)
        turnWindowsOnly(spec);
    exaone.base_prefix = "model.";
    exaone.tensors = llamaEmbeddings(spec);
    append(exaone.tensors, llamaOutputNorms());
    append(exaone.tensors, llamaProjections());
    append(exaone.tensors, llamaQkNorms());
    append(exaone.tensors, llamaGatedMlp());
    exaone.extras = llamaBuffers();
    return exaone;
}

// Nemotron (NVIDIA 2024): LayerNorms with gains stored minus 1, a plain MLP with squared ReLU, half
// of each head rotated.
Architecture describeNemotron(ConfigReader& config, const TensorSource&) {
    Architecture nemotron;
    ModelSpec& spec = nemotron.spec;
    spec = readLlamaSpec(config, {.n_ctx = 4096});
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"norm_eps"}, 1e-5)};
    spec.rotary = readRotary(config, spec, {.fraction = 0.5, .reads_fraction = true});
    spec.mlp = MlpKind::Plain;
    spec.activation = readActivation(config, {"hidden_act"}, "relu2");
    nemotron.base_prefix = "model.";
    nemotron.tensors = llamaTensors(spec);
    append(nemotron.tensors, llamaNormBiases());
    storeGainsMinusOne(nemotron.tensors);
    nemotron.extras = llamaBuffers();
    addAttentionBiases(config, nemotron);
    addMlpBiases(config, nemotron);
    dropGate(nemotron.tensors);
    return nemotron;
}

// Hunyuan (Tencent 2025), the dense models: Llama with norms over the queries and keys of each head
// after their rotation.
Architecture describeHunyuan(ConfigReader& config, const TensorSource&) {
    Architecture hunyuan;
    ModelSpec& spec = hunyuan.spec;
    spec = readLlamaSpec(config, {.eps = 1e-5});
    spec.rotary = readRotary(config, spec, {.reads_alpha = true});
    config.passOver({"eod_token_id"}); // ends a document
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.qk_norm = QkNorm::PerHead;
    spec.qk_norm_after_rotary = true;
    hunyuan.base_prefix = "model.";
    hunyuan.tensors = llamaTensors(spec);
    append(hunyuan.tensors, hunyuanQkNorms());
    hunyuan.extras = llamaBuffers();
    addAttentionBiases(config, hunyuan);
    return hunyuan;
}

// ERNIE 4.5 (Baidu 2025): Llama with rotary positions in adjacent pairs.
Architecture describeErnie45(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture ernie;
    ModelSpec& spec = ernie.spec;
    spec = readLlamaSpec(
        config, {.n_kv_heads = 2, .d_head = 128, .n_ctx = 131'072, .eps = 1e-5, .tied = true});
    spec.rotary = readRotary(config, spec, {.base = 500'000.0});
    spec.rotary.pairs = RotaryPairs::Adjacent;
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    ernie.base_prefix = "model.";
    ernie.tensors = llamaTensors(spec);
    ernie.extras = llamaBuffers();
    if (config.flagOr({"use_bias"}, false)) {
        append(ernie.tensors, llamaQkvBiases());
        append(ernie.tensors, {{b_O, "model.layers.{}.self_attn.o_proj.bias"}});
        append(ernie.tensors, llamaMlpBiases());
    }
    return ernie;
}

} // namespace headscope
