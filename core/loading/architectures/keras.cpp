// What the Keras dialects make of models that are of no family: blocks, or attention alone.

#include "core/loading/architectures/common.h"

namespace headscope {

namespace {

/// Values may be wider or narrower than keys.
void readHeadSizes(ConfigReader& config, ModelSpec& spec) {
    spec.d_head = config.size({"head_dim"});
    const std::size_t d_head_v = config.sizeOr({"value_head_dim"}, spec.d_head);
    spec.d_head_v = d_head_v == spec.d_head ? 0 : d_head_v;
}

/// The attention layers of Keras models, under the names that core/loading/dialects gives them;
/// with biases unless the config says attention_bias false.
std::vector<TensorRule> kerasAttentionRules(ConfigReader& config) {
    using enum WeightRole;
    using enum Layout;
    std::vector<TensorRule> rules{
        {W_Q, "blocks.{}.attn.q_proj.weight", Transposed},
        {W_K, "blocks.{}.attn.k_proj.weight", Transposed},
        {W_V, "blocks.{}.attn.v_proj.weight", Transposed},
        {W_O, "blocks.{}.attn.o_proj.weight", Transposed},
    };
    if (config.flagOr({"attention_bias"}, true))
        append(rules, {{b_Q, "blocks.{}.attn.q_proj.bias"},
                       {b_K, "blocks.{}.attn.k_proj.bias"},
                       {b_V, "blocks.{}.attn.v_proj.bias"},
                       {b_O, "blocks.{}.attn.o_proj.bias"}});
    return rules;
}

} // namespace

// Transformers built from the layers of Keras: MultiHeadAttention, LayerNormalization and Dense in
// blocks of the pre-norm or the post-norm kind, without positions.

namespace {

/// A network without positions has no longest prompt; this keeps runs within reason.
constexpr std::size_t kContext = 2048;

ModelSpec readKerasTransformerSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    readHeadSizes(config, spec);
    spec.d_mlp = config.size({"intermediate_size"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, kContext);
    spec.positions = PositionKind::None;
    spec.causal = config.flagOr({"causal"}, false);
    spec.norm.eps = config.positiveOr({"layer_norm_eps"}, 1e-3);
    spec.final_norm = config.flagOr({"final_norm"}, false);
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"hidden_act"}, "relu");
    spec.output = config.flagOr({"unembedding"}, false) ? OutputHead::Unembed : OutputHead::None;
    readSpecialTokens(config, spec);
    const std::string placement = config.textOr({"norm_placement"}, "post");
    spec.norm_placement = placement == "pre" ? NormPlacement::Pre : NormPlacement::Post;
    if (placement != "pre" && placement != "post")
        config.fail(ErrorCode::Malformed, "has 'norm_placement' = '" + placement +
                                              "', expected 'pre' or 'post'; correct the config.");
    return spec;
}

std::vector<TensorRule> matrixRules() {
    using enum WeightRole;
    using enum Layout;
    return {
        {W_E, "embedding.weight"},
        {Ln1Weight, "blocks.{}.norm_1.weight"},
        {Ln1Bias, "blocks.{}.norm_1.bias"},
        {Ln2Weight, "blocks.{}.norm_2.weight"},
        {Ln2Bias, "blocks.{}.norm_2.bias"},
        {W_in, "blocks.{}.mlp.dense_in.weight", Transposed},
        {W_out, "blocks.{}.mlp.dense_out.weight", Transposed},
    };
}

} // namespace

Architecture describeKerasTransformer(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture keras;
    keras.spec = readKerasTransformerSpec(config);
    keras.tensors = matrixRules();
    append(keras.tensors, kerasAttentionRules(config));
    if (config.flagOr({"mlp_bias"}, true))
        append(keras.tensors,
               {{b_in, "blocks.{}.mlp.dense_in.bias"}, {b_out, "blocks.{}.mlp.dense_out.bias"}});
    if (keras.spec.final_norm)
        append(keras.tensors,
               {{LnFinalWeight, "final_norm.weight"}, {LnFinalBias, "final_norm.bias"}});
    if (keras.spec.output == OutputHead::Unembed)
        append(keras.tensors, {{W_U, "unembedding.weight"}});
    if (config.flagOr({"unembedding_bias"}, false))
        append(keras.tensors, {{b_U, "unembedding.bias"}});
    return keras;
}

// The attention layers of a Keras model whose other layers cannot be run: weights only.

namespace {

ModelSpec readKerasAttentionSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    readHeadSizes(config, spec);
    spec.causal = config.flagOr({"causal"}, false);
    spec.cannot_run = config.text({"cannot_run"});
    spec.positions = PositionKind::None;
    spec.norm_placement = NormPlacement::None;
    spec.final_norm = false;
    spec.attention_scale = usualAttentionScale(spec);
    spec.mlp = MlpKind::None;
    spec.output = OutputHead::None;
    return spec;
}

} // namespace

Architecture describeKerasAttention(ConfigReader& config, const TensorSource&) {
    Architecture keras;
    keras.spec = readKerasAttentionSpec(config);
    keras.tensors = kerasAttentionRules(config);
    if (!config.flagOr({"attention_bias"}, true))
        keras.extras = {{"blocks.*.attn.*_proj.bias",
                         "not all layers have biases, which are no part of circuits"}};
    return keras;
}

} // namespace headscope
