// HookedTransformer of TransformerLens (Nanda and Bloom 2022): a network that its config describes
// part by part, and so the field's own toys.

#include "core/loading/architectures/hooked_transformer.h"

#include "core/base/text.h"
#include "core/loading/architectures/common.h"
#include "core/loading/architectures/transformer_bridge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace headscope {

namespace {

/// The number of a key that TransformerLens writes as -1 if it is not set.
std::optional<double> setNumber(ConfigReader& config, std::string_view key) {
    const auto number = config.number(key);
    return number && *number >= 0.0 ? number : std::nullopt;
}

/// A size that is derived where it is not set.
std::size_t sizeOrDerived(ConfigReader& config, std::string_view key, std::size_t derived) {
    return setNumber(config, key) ? config.size({key}) : derived;
}

/// The other side of W_U where the config does not say how many logits there are.
std::size_t outputsInFile(ConfigReader& config, const TensorSource& file, const ModelSpec& spec) {
    const auto W_U = std::ranges::find_if(file.tensors(), [](const TensorInfo& tensor) {
        return tensor.name.ends_with("unembed.W_U");
    });
    if (W_U == file.tensors().end() || W_U->shape.size() != 2 ||
        std::ranges::count(W_U->shape, spec.d_vocab) != 0 ||
        std::ranges::count(W_U->shape, spec.d_model) != 1)
        return spec.d_vocab;
    const std::size_t outputs = W_U->shape[W_U->shape.front() == spec.d_model ? 1 : 0];
    config.note("The config has no d_vocab_out: by the shape " + shapeText(W_U->shape) + " of '" +
                W_U->nameInFile() + "' there are " + std::to_string(outputs) + " logits.");
    return outputs;
}

// Sizes.

void readSizes(ConfigReader& config, const TensorSource& file, ModelSpec& spec) {
    spec.n_layers = config.size({"n_layers", "num_layers"});
    spec.d_model = config.size({"d_model"});
    spec.d_head = config.size({"d_head"});
    spec.n_heads = sizeOrDerived(config, config.has("num_heads") ? "num_heads" : "n_heads",
                                 std::max<std::size_t>(1, spec.d_model / spec.d_head));
    spec.n_kv_heads = config.sizeOr({"n_key_value_heads"}, spec.n_heads);
    spec.n_ctx = config.size({"n_ctx"});
    spec.d_vocab = config.size({"d_vocab"});
    const std::size_t outputs = config.has("d_vocab_out")
                                    ? sizeOrDerived(config, "d_vocab_out", spec.d_vocab)
                                    : outputsInFile(config, file, spec);
    spec.d_vocab_out = outputs == spec.d_vocab ? 0 : outputs;
}

// Attention.

std::vector<double> readScoreScale(ConfigReader& config, const ModelSpec& spec) {
    const double root = std::sqrt(static_cast<double>(spec.d_head));
    const double asked = setNumber(config, "attn_scale").value_or(root);
    if (asked == 0.0)
        config.fail(ErrorCode::Malformed,
                    "has 'attn_scale' = 0, expected what scores are divided by; correct the "
                    "config.");
    const double divisor = config.flagOr({"use_attn_scale"}, true) ? asked : 1.0;
    std::vector<double> scale(spec.n_layers, 1.0 / divisor);
    if (config.flagOr({"scale_attn_by_inverse_layer_idx"}, false))
        for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
            scale[layer] /= static_cast<double>(layer + 1);
    return scale;
}

/// "local" layers see a window; a bidirectional network masks nothing, in these either.
void readLocalLayers(ConfigReader& config, ModelSpec& spec) {
    if (!config.flagOr({"use_local_attn"}, false))
        return;
    const std::size_t window = config.size({"window_size"});
    const std::vector<std::string> kinds = config.texts("attn_types");
    const auto isKnown = [](const std::string& kind) {
        return kind == "global" || kind == "local";
    };
    if (kinds.size() < spec.n_layers || !std::ranges::all_of(kinds, isKnown))
        return config.fail(ErrorCode::Mismatch,
                           "has " + std::to_string(kinds.size()) +
                               " attn_types, expected 'global' or 'local' for each of the " +
                               std::to_string(spec.n_layers) + " layers; correct the config.");
    if (!spec.causal)
        return config.note("Attention is bidirectional, which use_local_attn does not limit.");
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        spec.windows.push_back(kinds[layer] == "local" ? window : 0);
}

void readAttention(ConfigReader& config, ModelSpec& spec) {
    const std::string direction = config.textOr({"attention_dir"}, "causal");
    spec.causal = direction == "causal";
    if (!spec.causal && direction != "bidirectional")
        config.fail(ErrorCode::Malformed, "has 'attention_dir' = '" + direction +
                                              "', expected 'causal' or 'bidirectional'; correct "
                                              "the config.");
    spec.attention_scale = readScoreScale(config, spec);
    spec.attention_softcap = setNumber(config, "attn_scores_soft_cap").value_or(0.0);
    readLocalLayers(config, spec);
    if (config.flagOr({"use_qk_norm"}, false))
        spec.qk_norm = QkNorm::PerHead;
}

// Norms.

/// `kind` is null, "LN", "RMS", or either with "Pre" after it, where gain and bias are in the
/// weights that follow.
HookedNormParts readNorms(ConfigReader& config, ModelSpec& spec) {
    const bool has_norms = config.flagOr({"use_ln"}, true); // of the networks of modular addition
    const bool none =
        !has_norms || config.isNull("normalization_type") || config.isNull("normalization");
    if (has_norms && config.has("use_ln"))
        config.fail(ErrorCode::Unsupported,
                    "has 'use_ln', whose norms divide by other deviations than LayerNorms do, "
                    "which is not supported.");
    const std::string kind =
        config.textOr({"normalization_type", "normalization"}, none ? "" : "LN");
    constexpr std::array<std::string_view, 5> kinds{"", "LN", "LNPre", "RMS", "RMSPre"};
    if (std::ranges::find(kinds, kind) == kinds.end())
        config.fail(ErrorCode::Unsupported, "asks for the normalization_type '" + kind +
                                                "', expected LN, LNPre, RMS, RMSPre or null.");
    const bool rms = kind.starts_with("RMS");
    spec.norm = {rms ? NormKind::RmsNorm : NormKind::LayerNorm, config.positiveOr({"eps"}, 1e-5)};
    const bool last_is_rms = config.flagOr({"final_rms"}, false);
    const bool at_both_ends = config.flagOr({"use_normalization_before_and_after"}, false);
    spec.final_norm = !kind.empty();
    if (kind.empty())
        spec.norm_placement = NormPlacement::None;
    else if (at_both_ends)
        spec.norm_placement = NormPlacement::Sandwich;
    if (!rms && !kind.empty() && last_is_rms)
        spec.final_norm_kind = NormKind::RmsNorm;
    if (!rms && !kind.empty() && at_both_ends)
        config.fail(ErrorCode::Unsupported,
                    "has 'use_normalization_before_and_after' with LayerNorms, which "
                    "TransformerLens has with RMSNorms only.");
    if (!rms && spec.qk_norm != QkNorm::None)
        config.fail(ErrorCode::Unsupported, "has 'use_qk_norm', whose norms are RMSNorms, in a "
                                            "network of other norms, which is not supported.");
    return {kind == "LN" || kind == "RMS", kind == "LN"};
}

/// TransformerLens normalises the embedding of the token before positions are added to it.
void readEmbeddingNorm(ConfigReader& config, ModelSpec& spec) {
    spec.norm_after_embedding = config.flagOr({"post_embedding_ln"}, false);
    if (spec.norm_after_embedding &&
        (spec.positions == PositionKind::Learned || spec.norm.kind != NormKind::LayerNorm))
        config.fail(ErrorCode::Unsupported,
                    "has 'post_embedding_ln', which is supported with LayerNorms and without "
                    "learned positions added to the stream only.");
    if (spec.norm_after_embedding && spec.positions == PositionKind::Shortformer)
        config.fail(ErrorCode::Unsupported, "has 'post_embedding_ln' and shortformer positions, "
                                            "which is not supported.");
}

// Positions.

void readRotaryPositions(ConfigReader& config, ModelSpec& spec) {
    spec.positions = PositionKind::Rotary;
    RotarySpec& rotary = spec.rotary;
    rotary.d_rotary = config.sizeOr({"rotary_dim"}, spec.d_head);
    rotary.base = config.positiveOr({"rotary_base"}, 10000.0);
    const bool adjacent = config.flagOr({"rotary_adjacent_pairs"}, false);
    rotary.pairs = adjacent ? RotaryPairs::Adjacent : RotaryPairs::Halves;
    const double base_of_local = config.positiveOr({"rotary_base_local"}, rotary.base);
    RotarySpec local = rotary;
    local.base = base_of_local;
    if (config.flagOr({"use_NTK_by_parts_rope"}, false)) {
        for (RotarySpec* const each : {&rotary, &local}) {
            each->scaling = RotaryScalingKind::Llama3;
            each->factor = config.positiveOr({"NTK_by_parts_factor"}, 8.0);
            each->low_freq_factor = config.positiveOr({"NTK_by_parts_low_freq_factor"}, 1.0);
            each->high_freq_factor = config.positiveOr({"NTK_by_parts_high_freq_factor"}, 4.0);
            each->original_context = config.positiveOr({"NTK_original_ctx_len"}, 8192.0);
        }
    } else if (const double factor = config.positiveOr({"rotary_scaling_factor"}, 1.0);
               factor != 1.0) {
        rotary.scaling = RotaryScalingKind::Linear;
        rotary.factor = factor;
    }
    if (!spec.windows.empty())
        spec.window_rotary = local;
}

/// 2^(−8/n · (head + 1)), also where n is no power of two, for which Press et al. 2022 have others.
std::vector<double> slopesOfAlibi(std::size_t n_heads) {
    std::vector<double> slopes;
    slopes.reserve(n_heads);
    for (std::size_t head = 0; head < n_heads; ++head)
        slopes.push_back(
            std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(n_heads)));
    return slopes;
}

void readPositions(ConfigReader& config, ModelSpec& spec) {
    const bool shortformer = config.flagOr({"shortformer_pos"}, false);
    const std::string kind = config.isNull("positional_embedding_type")
                                 ? "none"
                                 : config.textOr({"positional_embedding_type"},
                                                 shortformer ? "shortformer" : "standard");
    if (kind == "standard")
        spec.positions = PositionKind::Learned;
    else if (kind == "shortformer")
        spec.positions = PositionKind::Shortformer;
    else if (kind == "rotary")
        readRotaryPositions(config, spec);
    else if (kind == "none")
        spec.positions = PositionKind::None;
    else if (kind == "alibi" && spec.causal) {
        spec.positions = PositionKind::Alibi;
        spec.alibi_slopes = slopesOfAlibi(spec.n_heads);
    } else
        config.fail(ErrorCode::Unsupported,
                    "asks for the positional_embedding_type '" + kind + "'" +
                        (spec.causal ? "" : " of a bidirectional network") +
                        ", expected standard, rotary, shortformer, none or, of a causal network, "
                        "alibi.");
}

// MLPs.

void readMlp(ConfigReader& config, ModelSpec& spec) {
    if (config.flagOr({"attn_only"}, false)) {
        spec.mlp = MlpKind::None;
        return;
    }
    spec.d_mlp = config.sizeOr({"d_mlp"}, 4 * spec.d_model);
    spec.parallel_residual = config.flagOr({"parallel_attn_mlp"}, false);
    if (config.flagOr({"gated_mlp"}, false)) {
        spec.mlp = MlpKind::Gated;
        spec.mlp_bias_behind_gate = true;
    }
    const std::string name = config.textOr({"act_fn", "act_type"}, "relu");
    spec.mlp_norm = name == "solu_ln";
    if (name == "solu" || name == "solu_ln")
        spec.activation = Activation::Solu;
    else
        spec.activation = readActivation(config, {"act_fn", "act_type"}, "relu");
    if (spec.mlp_norm && (spec.norm.kind != NormKind::LayerNorm || spec.mlp == MlpKind::Gated))
        config.fail(ErrorCode::Unsupported, "has 'act_fn' = 'solu_ln' in a gated MLP or beside "
                                            "RMSNorms, which is not supported.");
}

// What a config can ask for beside that.

void refuseTheRest(ConfigReader& config) {
    config.refuse("num_experts", "mixtures of experts are not supported");
    config.refuse("use_attention_sinks", "attention with learned sinks is not supported");
    config.refuse("clip_qkv", "clipped queries, keys and values are not supported");
    config.refuse("use_logn_attn", "queries scaled by the length of the prompt are not supported");
    config.refuse("use_dynamic_ntk_rope", "rotary bases that grow with the prompt are not "
                                          "supported");
    config.refuse("use_yarn_rope", "YaRN is not supported in this family");
    config.refuse("load_in_4bit", "quantised weights are not supported; save the model in float32");
    const std::string origin = config.textOr({"original_architecture"}, "");
    if (origin == "Olmo2ForCausalLM" || origin == "Olmo3ForCausalLM")
        config.fail(ErrorCode::Unsupported,
                    "has 'original_architecture' = '" + origin +
                        "', for which TransformerLens normalises the outputs of a block in place "
                        "of its inputs; open the original model.");
}

/// What says where a model came from, how it is run there and how it was trained.
void passOverTheRest(ConfigReader& config) {
    config.passOver({"checkpoint_*",
                     "d_mlp",
                     "act_fn",
                     "act_type",
                     "default_p*",
                     "device",
                     "dtype",
                     "experts_per_token",
                     "decoder_start_token_id",
                     "from_checkpoint",
                     "gated_mlp",
                     "init_*",
                     "layer_norm_folding",
                     "model_name",
                     "n_devices",
                     "n_params",
                     "norm_topk_prob",
                     "NTK_*",
                     "output_logits",
                     "parallel_attn_mlp",
                     "quantization_method",
                     "relative_attention_*",
                     "rotary_*",
                     "seed",
                     "tie_word_embeddings",
                     "tokenizer_*",
                     "train_seq_length",
                     "trust_remote_code",
                     "ungroup_grouped_query_attention",
                     "use_attn_in",
                     "use_attn_result",
                     "use_hook_*",
                     "use_NTK_by_parts_rope",
                     "use_split_qkv_input",
                     "uses_rms_norm",
                     "window_size",
                     "attn_types",
                     "yarn_*"});
}

} // namespace

Architecture describeHookedTransformer(ConfigReader& config, const TensorSource& file) {
    Architecture hooked;
    ModelSpec& spec = hooked.spec;
    readSizes(config, file, spec);
    readAttention(config, spec);
    const HookedNormParts parts = readNorms(config, spec);
    readPositions(config, spec);
    readEmbeddingNorm(config, spec);
    readMlp(config, spec);
    spec.logit_softcap = setNumber(config, "output_logits_soft_cap").value_or(0.0);
    refuseTheRest(config);
    passOverTheRest(config);
    if (isTransformerBridge(file)) {
        readNativeSpec(config, spec);
        hooked.tensors = nativeTensors(spec, parts, file);
        return hooked;
    }
    hooked.tensors = hookedTensors(config, file, spec, parts);
    hooked.extras = hookedExtras(spec, parts);
    return hooked;
}

} // namespace headscope
