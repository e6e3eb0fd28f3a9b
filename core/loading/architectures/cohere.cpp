// The lineage of Cohere: Command-R, Command-R7B, its mixtures of experts, Compass.

#include "core/loading/architectures/mixture_like.h"

#include <algorithm>
#include <string>

namespace headscope {

// Cohere's Command-R (2024): parallel residual with one LayerNorm without bias, rotary positions in
// adjacent pairs, scaled logits. Command-R+ normalises queries and keys with gains for each head.
// Command-R7B and Command-A ("cohere2") have windows in three layers
// of four, and rotary positions in these alone.
namespace {

/// All but rotary positions and windows. `usual_d_head` of 0: d_model / n_heads.
Architecture describeCohereLike(ConfigReader& config, double usual_logit_scale,
                                std::size_t usual_d_head = 0) {
    using enum WeightRole;
    Architecture cohere;
    ModelSpec& spec = cohere.spec;
    spec = readLlamaSpec(config, {.d_head = usual_d_head, .n_ctx = 8192, .tied = true});
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-5)};
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.parallel_residual = true;
    spec.shared_norm = true;
    cohere.base_prefix = "model.";
    cohere.tensors = llamaTensors(spec);
    std::erase_if(cohere.tensors, [](const TensorRule& rule) { return rule.role == Ln2Weight; });
    cohere.extras = llamaBuffers();
    addAttentionBiases(config, cohere);
    scaleRole(cohere.tensors, LnFinalWeight, config.positiveOr({"logit_scale"}, usual_logit_scale));
    return cohere;
}

/// All but windows.
Architecture describeCommand(ConfigReader& config, const RotaryDefaults& usual,
                             std::size_t usual_d_head = 0) {
    Architecture command = describeCohereLike(config, 0.0625, usual_d_head);
    command.spec.rotary = readRotary(config, command.spec, usual);
    command.spec.rotary.pairs = RotaryPairs::Adjacent;
    return command;
}

} // namespace

Architecture describeCohere(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture cohere = describeCommand(config, {.base = 500'000.0});
    if (config.flagOr({"use_qk_norm"}, false)) {
        cohere.spec.qk_norm = QkNorm::PerHead;
        cohere.spec.qk_norm_gains_by_head = true;
        append(cohere.tensors,
               {{QNormWeight, "model.layers.{}.self_attn.q_norm.weight", Layout::PerHead},
                {KNormWeight, "model.layers.{}.self_attn.k_norm.weight", Layout::PerHead}});
    }
    return cohere;
}

Architecture describeCohere2(ConfigReader& config, const TensorSource&) {
    config.refuse("use_qk_norm", "norms of queries and keys are not of this family");
    Architecture cohere2 = describeCommand(config, {});
    const std::size_t pattern = config.sizeOr({"sliding_window_pattern"}, 4);
    readWindows(config, cohere2.spec, config.sizeOr({"sliding_window"}, 4096),
                [pattern](std::size_t layer) { return (layer + 1) % pattern != 0; });
    turnWindowsOnly(cohere2.spec);
    return cohere2;
}

// Cohere's Compass (2026): Command-R7B that turns the halves of a head, with rotary positions for
// each type of layer or none.
Architecture describeCohereCompass(ConfigReader& config, const TensorSource&) {
    config.refuse("use_qk_norm", "norms of queries and keys are not of this family");
    Architecture compass = describeCohereLike(config, 1.0);
    ModelSpec& spec = compass.spec;
    readWindows(config, spec, config.sizeOr({"sliding_window"}, 4096),
                [](std::size_t) { return false; });
    spec.rotary = readRotary(config, spec, {.layer_type = "full_attention"});
    spec.window_rotary = readRotary(config, spec, {.layer_type = "sliding_attention"});
    const auto rotary = config.object("rope_parameters");
    const auto turns = [&](std::string_view type) { return rotary && rotary->has(type); };
    const bool by_type = turns("full_attention") || turns("sliding_attention");
    for (std::size_t layer = 0; by_type && layer < spec.n_layers; ++layer)
        if (!turns(spec.window(layer) == 0 ? "full_attention" : "sliding_attention"))
            spec.unrotated_layers.push_back(layer);
    config.passOver({"pooling"}); // of classifiers
    return compass;
}

namespace {

/// Layers of a config that names no types: the first ones, which have an MLP, have windows by a
/// pattern of their own.
void readMixtureWindows(ConfigReader& config, ModelSpec& spec, std::size_t n_dense,
                        std::size_t dense_pattern) {
    const std::size_t pattern = config.sizeOr({"sliding_window_pattern"}, 4);
    const std::size_t window =
        config.isNull("sliding_window") ? 0 : config.sizeOr({"sliding_window"}, 4096);
    readWindows(config, spec, window, [=](std::size_t layer) {
        return layer < n_dense ? (layer + 1) % dense_pattern != 0
                               : (layer - n_dense + 1) % pattern != 0;
    });
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        if (spec.window(layer) == 0 && (spec.hasExperts(layer) || dense_pattern != 1))
            spec.unrotated_layers.push_back(layer);
}

/// Softmax or sigmoid over the chosen experts.
void readCohereRouter(ConfigReader& config, ExpertsSpec& experts) {
    const std::string scores = config.textOr({"expert_selection_fn"}, "softmax");
    const bool divides = config.flagOr({"norm_topk_prob"}, true);
    if (scores == "sigmoid") {
        experts.scores = RouterScores::Sigmoid;
        experts.weights_sum_to_one = divides;
    } else if (scores != "softmax") {
        config.fail(ErrorCode::Unsupported,
                    "weighs experts by '" + scores + "', expected softmax or sigmoid.");
    }
}

/// How much of what the shared and the other experts give is added up: all, or half of each.
double readCombination(ConfigReader& config) {
    const std::string combination =
        config.textOr({"shared_expert_combination_strategy"}, "average");
    if (combination != "average" && combination != "sum")
        config.fail(ErrorCode::Unsupported,
                    "combines experts by '" + combination + "', expected average or sum.");
    return combination == "average" ? 0.5 : 1.0;
}

} // namespace

// Cohere's mixtures (2026): Command-R7B with experts beside attention, LayerNorm or RMSNorm.
Architecture describeCohere2Moe(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    // transformers 5.24 keeps rope_scaling of this family as a name of its own and never reads it.
    Architecture cohere = describeCommand(config, {.reads_old_scaling = false}, 128);
    if (config.has("rope_scaling"))
        config.note("rope_scaling has no effect, as in transformers: this family reads "
                    "rope_parameters.");
    config.passOver({"rope_scaling"});
    ModelSpec& spec = cohere.spec;
    if (const auto eps = config.number("rms_norm_eps"))
        spec.norm = {NormKind::RmsNorm, *eps};
    const std::size_t d_mlp = spec.d_mlp;
    readExperts(config, spec, d_mlp, {.n_experts = 8, .n_chosen = 2});
    readCohereRouter(config, *spec.experts);
    const std::size_t n_dense = config.sizeOr({"first_k_dense_replace"}, 0, 0);
    readMlpTypes(config, spec, config.sizeOr({"prefix_dense_intermediate_size"}, d_mlp), n_dense);
    readMixtureWindows(config, spec, n_dense,
                       config.sizeOr({"prefix_dense_sliding_window_pattern"}, 1));
    append(cohere.tensors, expertTensors(file));
    const std::size_t n_shared = config.sizeOr({"num_shared_experts"}, 0, 0);
    const double share = readCombination(config);
    if (n_shared == 0)
        return cohere;
    spec.experts->d_shared = n_shared * d_mlp;
    spec.experts->shared_gate = false;
    append(cohere.tensors, sharedExpertTensors("mlp.shared_experts"));
    for (const WeightRole role : {W_expert_out, W_shared_out})
        scaleRole(cohere.tensors, role, share);
    return cohere;
}

} // namespace headscope
