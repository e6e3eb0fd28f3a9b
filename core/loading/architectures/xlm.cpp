#include "core/loading/architectures/bert_like.h"

#include <string>
#include <vector>

// XLM (Lample and Conneau 2019) and FlauBERT (Le et al. 2019), which has its code.

namespace headscope {

namespace {

/// Refuses what makes a config of XLM's keys another network.
void refuseXlmVariants(ConfigReader& config) {
    config.refuse("asm", "adaptive softmaxes are not supported");
    config.refuse("causal", "causal attention is not supported in this family");
    if (!config.flagOr({"is_encoder"}, true))
        config.fail(ErrorCode::Unsupported, "has 'is_encoder' = false, and decoders of this family "
                                            "are not supported.");
    if (config.sizeOr({"n_langs"}, 1) > 1 && config.flagOr({"use_lang_emb"}, true))
        config.fail(ErrorCode::Unsupported,
                    "has use_lang_emb and n_langs above 1, and embeddings of languages are not "
                    "supported.");
    // The table is in the file, whether it was learned or computed.
    config.flagOr({"sinusoidal_embeddings"}, false);
    config.passOver({"*lang*", "*_index", "mask_token_id", "share_inout_emb", "max_vocab",
                     "min_count", "embed_init_std", "start_n_top", "end_n_top"});
}

/// A config's mask_token_id is made up; the masks of training are its mask_index.
void readXlmSizes(ConfigReader& config, ModelSpec& spec) {
    spec.n_layers = config.size({"n_layers"});
    spec.d_model = config.size({"emb_dim"});
    spec.n_heads = config.size({"n_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = 4 * spec.d_model;
    spec.d_vocab = config.size({"vocab_size", "n_words"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 512);
    spec.norm.eps = config.positiveOr({"layer_norm_eps"}, 1e-12);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation =
        config.flagOr({"gelu_activation"}, true) ? Activation::GeluErf : Activation::Relu;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    spec.bos_token =
        config.token(config.has("bos_token_id") ? "bos_token_id" : "bos_index", spec.d_vocab);
    spec.mask_token = config.token("mask_index", spec.d_vocab);
}

std::vector<TensorRule> xlmEncoder() {
    using enum WeightRole;
    using enum Layout;
    const std::string attention = "transformer.attentions.{}.";
    const std::string mlp = "transformer.ffns.{}.";
    std::vector<TensorRule> rules{
        {W_E, "transformer.embeddings.weight"},
        {W_pos, "transformer.position_embeddings.weight"},
        {W_Q, attention + "q_lin.weight", Transposed},
        {b_Q, attention + "q_lin.bias"},
        {W_K, attention + "k_lin.weight", Transposed},
        {b_K, attention + "k_lin.bias"},
        {W_V, attention + "v_lin.weight", Transposed},
        {b_V, attention + "v_lin.bias"},
        {W_O, attention + "out_lin.weight", Transposed},
        {b_O, attention + "out_lin.bias"},
        {W_in, mlp + "lin1.weight", Transposed},
        {b_in, mlp + "lin1.bias"},
        {W_out, mlp + "lin2.weight", Transposed},
        {b_out, mlp + "lin2.bias"},
    };
    append(rules, layerNorm(LnEmbedWeight, LnEmbedBias, "transformer.layer_norm_emb"));
    append(rules, layerNorm(Ln1Weight, Ln1Bias, "transformer.layer_norm1.{}"));
    append(rules, layerNorm(Ln2Weight, Ln2Bias, "transformer.layer_norm2.{}"));
    return rules;
}

} // namespace

// Bidirectional, learned positions, norms after the residual sums; the unembedding reads the
// residual stream as it is.
Architecture describeXlm(ConfigReader& config, const TensorSource& file) {
    using enum WeightRole;
    refuseXlmVariants(config);
    Architecture xlm;
    xlm.spec = encoderSpec();
    readXlmSizes(config, xlm.spec);
    xlm.base_prefix = "transformer.";
    xlm.tensors = xlmEncoder();
    xlm.extras = {{"*position_ids", "the numbers 0, 1, 2, …, a constant"}};
    xlm.spec.output = OutputHead::None;
    if (hasTensorLike(file, "pred_layer.")) {
        xlm.spec.output = OutputHead::Unembed;
        append(xlm.tensors, {{xlm.spec.tied_unembedding ? W_E : W_U, "pred_layer.proj.weight"},
                             {b_U, "pred_layer.proj.bias"}});
    }
    return xlm;
}

// FlauBERT's larger model normalises what the branches read, and what the last one adds to is not
// normalised any more.
Architecture describeFlaubert(ConfigReader& config, const TensorSource& file) {
    Architecture flaubert = describeXlm(config, file);
    if (config.flagOr({"pre_norm"}, false))
        flaubert.spec.norm_placement = NormPlacement::Pre;
    return flaubert;
}

} // namespace headscope
