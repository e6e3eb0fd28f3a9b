// Open decoders with a layout of their own: OPT and BioGPT, BLOOM, Falcon.

#include "core/loading/architectures/common.h"

#include <cmath>
#include <string>

namespace headscope {

// OPT (Zhang et al. 2022): learned positions that begin with row 2. OPT-350m normalises after the
// sums and embeds into fewer dimensions than it computes with.

namespace {

ModelSpec readOptSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.size({"ffn_dim"});
    spec.d_vocab = config.size({"vocab_size"});
    const std::size_t d_embed = config.sizeOr({"word_embed_proj_dim"}, spec.d_model);
    spec.d_embed = d_embed == spec.d_model ? 0 : d_embed;
    spec.n_ctx = config.size({"max_position_embeddings"});
    spec.position_offset = 2;
    const bool pre_norm = config.flagOr({"do_layer_norm_before"}, true);
    spec.norm_placement = pre_norm ? NormPlacement::Pre : NormPlacement::Post;
    spec.final_norm = pre_norm && !config.flagOr({"_remove_final_layer_norm"}, false);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"activation_function"}, "relu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

void appendNorms(Architecture& opt) {
    using enum WeightRole;
    append(opt.tensors, {{Ln1Weight, "model.decoder.layers.{}.self_attn_layer_norm.weight"},
                         {Ln1Bias, "model.decoder.layers.{}.self_attn_layer_norm.bias"},
                         {Ln2Weight, "model.decoder.layers.{}.final_layer_norm.weight"},
                         {Ln2Bias, "model.decoder.layers.{}.final_layer_norm.bias"}});
    if (opt.spec.final_norm)
        append(opt.tensors, {{LnFinalWeight, "model.decoder.final_layer_norm.weight"},
                             {LnFinalBias, "model.decoder.final_layer_norm.bias"}});
}

} // namespace

Architecture describeOpt(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture opt;
    opt.spec = readOptSpec(config);
    opt.base_prefix = "model.";
    opt.tensors = {
        {W_E, "model.decoder.embed_tokens.weight"},
        {W_pos, "model.decoder.embed_positions.weight"},
        {W_Q, "model.decoder.layers.{}.self_attn.q_proj.weight", Transposed},
        {W_K, "model.decoder.layers.{}.self_attn.k_proj.weight", Transposed},
        {W_V, "model.decoder.layers.{}.self_attn.v_proj.weight", Transposed},
        {W_O, "model.decoder.layers.{}.self_attn.out_proj.weight", Transposed},
        {W_in, "model.decoder.layers.{}.fc1.weight", Transposed},
        {W_out, "model.decoder.layers.{}.fc2.weight", Transposed},
        {opt.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    if (opt.spec.d_embed != 0)
        append(opt.tensors, {{W_project_in, "model.decoder.project_in.weight", Transposed},
                             {W_project_out, "model.decoder.project_out.weight", Transposed}});
    if (config.flagOr({"layer_norm_elementwise_affine"}, true))
        appendNorms(opt);
    if (config.flagOr({"enable_bias"}, true))
        append(opt.tensors, {{b_Q, "model.decoder.layers.{}.self_attn.q_proj.bias"},
                             {b_K, "model.decoder.layers.{}.self_attn.k_proj.bias"},
                             {b_V, "model.decoder.layers.{}.self_attn.v_proj.bias"},
                             {b_O, "model.decoder.layers.{}.self_attn.out_proj.bias"},
                             {b_in, "model.decoder.layers.{}.fc1.bias"},
                             {b_out, "model.decoder.layers.{}.fc2.bias"}});
    return opt;
}

// BioGPT (Luo et al. 2022): OPT with GELU and a scaled embedding. Its norms add 1e-5, whatever its
// config says.
Architecture describeBiogpt(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture biogpt;
    ModelSpec& spec = biogpt.spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"intermediate_size"}, 4096);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 1024);
    spec.position_offset = 2;
    if (config.flagOr({"scale_embedding"}, true))
        spec.embedding_scale = std::sqrt(static_cast<double>(spec.d_model));
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"hidden_act"}, "gelu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    config.passOver({"layer_norm_eps"});
    biogpt.base_prefix = "biogpt.";
    const std::string block = "biogpt.layers.{}.";
    biogpt.tensors = {{W_E, "biogpt.embed_tokens.weight"},
                      {W_pos, "biogpt.embed_positions.weight"},
                      {Ln1Weight, block + "self_attn_layer_norm.weight"},
                      {Ln1Bias, block + "self_attn_layer_norm.bias"},
                      {W_Q, block + "self_attn.q_proj.weight", Transposed},
                      {b_Q, block + "self_attn.q_proj.bias"},
                      {W_K, block + "self_attn.k_proj.weight", Transposed},
                      {b_K, block + "self_attn.k_proj.bias"},
                      {W_V, block + "self_attn.v_proj.weight", Transposed},
                      {b_V, block + "self_attn.v_proj.bias"},
                      {W_O, block + "self_attn.out_proj.weight", Transposed},
                      {b_O, block + "self_attn.out_proj.bias"},
                      {Ln2Weight, block + "final_layer_norm.weight"},
                      {Ln2Bias, block + "final_layer_norm.bias"},
                      {W_in, block + "fc1.weight", Transposed},
                      {b_in, block + "fc1.bias"},
                      {W_out, block + "fc2.weight", Transposed},
                      {b_out, block + "fc2.bias"},
                      {LnFinalWeight, "biogpt.layer_norm.weight"},
                      {LnFinalBias, "biogpt.layer_norm.bias"},
                      {spec.tied_unembedding ? W_E : W_U, "output_projection.weight"}};
    return biogpt;
}

// BLOOM (BigScience 2022): ALiBi in place of positions, a norm after the embedding, queries, keys
// and values interleaved head by head.

namespace {

ModelSpec readBloomSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layer", "num_hidden_layers"});
    spec.d_model = config.size({"hidden_size", "n_embed"});
    spec.n_heads = config.size({"n_head", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = 4 * spec.d_model;
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"seq_length"}, 2048);
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.norm_after_embedding = true;
    spec.positions = PositionKind::Alibi;
    spec.alibi_slopes = alibiSlopes(spec.n_heads);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = Activation::GeluTanh;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeBloom(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    config.refuse("apply_residual_connection_post_layernorm",
                  "a residual stream of normalised values is not supported");
    Architecture bloom;
    bloom.spec = readBloomSpec(config);
    bloom.base_prefix = "transformer.";
    bloom.tensors = {
        {W_E, "transformer.word_embeddings.weight"},
        {LnEmbedWeight, "transformer.word_embeddings_layernorm.weight"},
        {LnEmbedBias, "transformer.word_embeddings_layernorm.bias"},
        {Ln1Weight, "transformer.h.{}.input_layernorm.weight"},
        {Ln1Bias, "transformer.h.{}.input_layernorm.bias"},
        {W_QKV, "transformer.h.{}.self_attention.query_key_value.weight", GroupedQkv},
        {b_QKV, "transformer.h.{}.self_attention.query_key_value.bias", GroupedQkv},
        {W_O, "transformer.h.{}.self_attention.dense.weight", Transposed},
        {b_O, "transformer.h.{}.self_attention.dense.bias"},
        {Ln2Weight, "transformer.h.{}.post_attention_layernorm.weight"},
        {Ln2Bias, "transformer.h.{}.post_attention_layernorm.bias"},
        {W_in, "transformer.h.{}.mlp.dense_h_to_4h.weight", Transposed},
        {b_in, "transformer.h.{}.mlp.dense_h_to_4h.bias"},
        {W_out, "transformer.h.{}.mlp.dense_4h_to_h.weight", Transposed},
        {b_out, "transformer.h.{}.mlp.dense_4h_to_h.bias"},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {bloom.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    return bloom;
}

// Falcon (Almazrouei et al. 2023): parallel residual, one key-value head (7B) or one per group
// (40B), whose queries, key and value are together.

namespace {

/// The variants that the config tells apart.
struct FalconVariant {
    bool grouped;   ///< new_decoder_architecture: a KV head per group, always parallel
    bool parallel;  ///< attention and MLP read the same x
    bool two_norms; ///< each branch has its own, of the same x
};

FalconVariant readVariant(ConfigReader& config) {
    FalconVariant variant{};
    variant.grouped = config.flagOr({"new_decoder_architecture"}, false);
    variant.parallel = config.flagOr({"parallel_attn"}, true) || variant.grouped;
    const std::size_t norms = config.sizeOr({"num_ln_in_parallel_attn"}, 2);
    variant.two_norms = variant.grouped && norms == 2;
    return variant;
}

std::size_t readKvHeads(ConfigReader& config, const FalconVariant& variant, std::size_t n_heads) {
    const std::size_t n_kv_heads = config.sizeOr({"num_kv_heads", "n_head_kv"}, n_heads);
    const bool multi_query = config.flagOr({"multi_query"}, true);
    if (variant.grouped)
        return n_kv_heads;
    return multi_query ? 1 : n_heads;
}

/// With ALiBi nothing turns, and nobody reads what the config says of it.
void readFalconPositions(ConfigReader& config, ModelSpec& spec) {
    spec.alibi_by_key = config.flagOr({"alibi"}, false);
    if (!spec.alibi_by_key) {
        spec.positions = PositionKind::Rotary;
        spec.rotary = readRotary(config, spec);
        return;
    }
    spec.positions = PositionKind::Alibi;
    spec.alibi_slopes = alibiSlopes(spec.n_heads);
    if (auto rotary = config.object("rope_parameters"))
        rotary->passOver({"*"});
    config.passOver({"rope_scaling", "rope_theta"});
}

ModelSpec readFalconSpec(ConfigReader& config, const FalconVariant& variant) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers", "n_layer"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads", "n_head"});
    spec.n_kv_heads = readKvHeads(config, variant, spec.n_heads);
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"ffn_hidden_size"}, 4 * spec.d_model);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 2048);
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    readFalconPositions(config, spec);
    spec.parallel_residual = variant.parallel;
    spec.shared_norm = variant.parallel && !variant.two_norms;
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"activation"}, "gelu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

void appendNorm(std::vector<TensorRule>& rules, WeightRole weight, WeightRole bias,
                const std::string& name) {
    append(rules, {{weight, "transformer.h.{}." + name + ".weight"},
                   {bias, "transformer.h.{}." + name + ".bias"}});
}

} // namespace

Architecture describeFalcon(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture falcon;
    const FalconVariant variant = readVariant(config);
    falcon.spec = readFalconSpec(config, variant);
    falcon.base_prefix = "transformer.";
    falcon.tensors = {
        {W_E, "transformer.word_embeddings.weight"},
        {W_QKV, "transformer.h.{}.self_attention.query_key_value.weight", GroupedQkv},
        {W_O, "transformer.h.{}.self_attention.dense.weight", Transposed},
        {W_in, "transformer.h.{}.mlp.dense_h_to_4h.weight", Transposed},
        {W_out, "transformer.h.{}.mlp.dense_4h_to_h.weight", Transposed},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {falcon.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    appendNorm(falcon.tensors, Ln1Weight, Ln1Bias,
               variant.two_norms ? "ln_attn" : "input_layernorm");
    if (!falcon.spec.shared_norm)
        appendNorm(falcon.tensors, Ln2Weight, Ln2Bias,
                   variant.two_norms ? "ln_mlp" : "post_attention_layernorm");
    if (config.flagOr({"bias"}, false))
        append(falcon.tensors,
               {{b_QKV, "transformer.h.{}.self_attention.query_key_value.bias", GroupedQkv},
                {b_O, "transformer.h.{}.self_attention.dense.bias"},
                {b_in, "transformer.h.{}.mlp.dense_h_to_4h.bias"},
                {b_out, "transformer.h.{}.mlp.dense_4h_to_h.bias"}});
    falcon.extras = {{"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"}};
    return falcon;
}

} // namespace headscope
