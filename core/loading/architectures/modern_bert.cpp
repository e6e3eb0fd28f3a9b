// ModernBERT: an encoder of Llama's parts.

#include "core/loading/architectures/bert_like.h"
#include "core/loading/architectures/llama_like.h"

#include <string>
#include <vector>

namespace headscope {

namespace {

void readModernBertSizes(ConfigReader& config, ModelSpec& spec) {
    readEncoderSizes(config, spec);
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 8192);
    spec.norm.eps = config.positiveOr({"norm_eps"}, 1e-5);
    spec.activation = readActivation(config, {"hidden_activation"}, "gelu");
}

/// Every third layer sees all keys; the others see only near ones, to both sides.
void readModernBertPositions(ConfigReader& config, ModelSpec& spec) {
    const std::size_t reach = config.sizeOr({"local_attention"}, 128) / 2;
    const std::size_t step = config.sizeOr({"global_attn_every_n_layers"}, 3);
    readWindows(config, spec, 2 * reach + 1,
                [step](std::size_t layer) { return layer % step != 0; });
    spec.positions = PositionKind::Rotary;
    const double base = config.positiveOr({"global_rope_theta"}, 160'000.0);
    const bool one_base = config.isNull("local_rope_theta");
    const double local = one_base ? base : config.positiveOr({"local_rope_theta"}, 10'000.0);
    spec.rotary = readRotary(config, spec, {.base = base, .layer_type = "full_attention"});
    spec.window_rotary = readWindowRotary(config, spec, local);
}

std::vector<TensorRule> modernBertEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    std::vector<TensorRule> rules{
        {W_E, "model.embeddings.tok_embeddings.weight"},
        {W_QKV, layer + "attn.Wqkv.weight", Transposed},
        {W_O, layer + "attn.Wo.weight", Transposed},
        {W_gate, layer + "mlp.Wi.weight", FirstHalf},
        {W_in, layer + "mlp.Wi.weight", SecondHalf},
        {W_out, layer + "mlp.Wo.weight", Transposed},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "model.embeddings.norm"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, layer + "attn_norm"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, layer + "mlp_norm"));
    append(rules, layerNorm(LnFinalWeight, LnFinalBias, "model.final_norm"));
    return rules;
}

/// Released models have none.
void dropNormBiases(std::vector<TensorRule>& rules) {
    using enum WeightRole;
    std::erase_if(rules, [](const TensorRule& rule) {
        return rule.role == LnEmbedBias || rule.role == Ln1Bias || rule.role == Ln2Bias ||
               rule.role == LnFinalBias || rule.role == LnMlmBias;
    });
}

/// Biases of projections, which released models do not have.
void addBiases(ConfigReader& config, std::vector<TensorRule>& rules) {
    using enum WeightRole;
    using enum Layout;
    const std::string layer = "model.layers.{}.";
    if (config.flagOr({"attention_bias"}, false))
        append(rules, {{b_QKV, layer + "attn.Wqkv.bias"}, {b_O, layer + "attn.Wo.bias"}});
    if (config.flagOr({"mlp_bias"}, false))
        append(rules, {{b_gate, layer + "mlp.Wi.bias", FirstHalf},
                       {b_in, layer + "mlp.Wi.bias", SecondHalf},
                       {b_out, layer + "mlp.Wo.bias"}});
}

void addHead(ConfigReader& config, Architecture& modern) {
    using enum WeightRole;
    modern.spec.output = OutputHead::MaskedLm;
    if (readActivation(config, {"classifier_activation"}, "gelu") != modern.spec.activation)
        config.fail(ErrorCode::Unsupported,
                    "has a classifier_activation other than its hidden_activation; two activations "
                    "in one network are not supported.");
    append(modern.tensors, {{W_mlm, "head.dense.weight", Layout::Transposed},
                            {modern.spec.tied_unembedding ? W_E : W_U, "decoder.weight"}});
    append(modern.tensors, layerNorm(LnMlmWeight, LnMlmBias, "head.norm"));
    if (config.flagOr({"classifier_bias"}, false))
        append(modern.tensors, {{b_mlm, "head.dense.bias"}});
    if (config.flagOr({"decoder_bias"}, true))
        append(modern.tensors, {{b_U, "decoder.bias"}});
}

} // namespace

// ModernBERT (Warner et al. 2024): norms before the branches but for the first, rotary positions, a
// gated MLP; most layers see a window to both sides, with a base of their own. Its embedding models
// end with the last norm.
Architecture describeModernBert(ConfigReader& config, const TensorSource& file) {
    Architecture modern;
    ModelSpec& spec = modern.spec;
    spec = encoderSpec();
    readModernBertSizes(config, spec);
    readModernBertPositions(config, spec);
    spec.norm_placement = NormPlacement::Pre;
    spec.unnormed_layers = {0};
    spec.final_norm = true;
    spec.mlp = MlpKind::Gated;
    modern.base_prefix = "model.";
    modern.tensors = modernBertEncoder();
    addBiases(config, modern.tensors);
    spec.output = OutputHead::None;
    if (hasTensorLike(file, "head.dense."))
        addHead(config, modern);
    if (!config.flagOr({"norm_bias"}, false))
        dropNormBiases(modern.tensors);
    config.passOver({"classifier_pooling", "cls_token_id", "deterministic_flash_attn",
                     "initializer_cutoff_factor", "layer_norm_eps", "position_embedding_type",
                     "reference_compile", "repad_logits_with_grad", "sparse_pred*"});
    modern.extras.push_back({"*classifier.*", "classifies texts; no token passes it"});
    modern.extras.push_back(
        {"*rotary_emb.*inv_freq", "rotary frequencies, which follow from the config"});
    return modern;
}

} // namespace headscope
