// Kin of GPT: GPT-1, GPT-BigCode, MPT, Persimmon.

#include "core/loading/architectures/llama_like.h"

#include <string>

namespace headscope {

// GPT-1 (Radford et al. 2018): norms after the residual sums, no final norm.

namespace {

ModelSpec readOpenaiGptSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layer", "num_hidden_layers"});
    spec.d_model = config.size({"n_embd", "hidden_size"});
    spec.n_heads = config.size({"n_head", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = 4 * spec.d_model;
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"n_positions", "max_position_embeddings"});
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.norm_placement = NormPlacement::Post;
    spec.final_norm = false;
    spec.attention_scale = usualAttentionScale(spec);
    spec.activation = readActivation(config, {"afn"}, "gelu");
    if (spec.activation == Activation::GeluErf) // its "gelu" is the tanh form
        spec.activation = Activation::GeluTanh;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeOpenaiGpt(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    Architecture gpt;
    gpt.spec = readOpenaiGptSpec(config);
    gpt.base_prefix = "transformer.";
    gpt.tensors = {
        {W_E, "transformer.tokens_embed.weight"},
        {W_pos, "transformer.positions_embed.weight"},
        {W_QKV, "transformer.h.{}.attn.c_attn.weight"},
        {b_QKV, "transformer.h.{}.attn.c_attn.bias"},
        {W_O, "transformer.h.{}.attn.c_proj.weight"},
        {b_O, "transformer.h.{}.attn.c_proj.bias"},
        {Ln1Weight, "transformer.h.{}.ln_1.weight"},
        {Ln1Bias, "transformer.h.{}.ln_1.bias"},
        {W_in, "transformer.h.{}.mlp.c_fc.weight"},
        {b_in, "transformer.h.{}.mlp.c_fc.bias"},
        {W_out, "transformer.h.{}.mlp.c_proj.weight"},
        {b_out, "transformer.h.{}.mlp.c_proj.bias"},
        {Ln2Weight, "transformer.h.{}.ln_2.weight"},
        {Ln2Bias, "transformer.h.{}.ln_2.bias"},
        {gpt.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    gpt.extras = causalMaskBuffers();
    gpt.extras.push_back({"*position_ids", "the numbers 0, 1, 2, …, a constant"});
    return gpt;
}

// GPT-BigCode (SantaCoder, StarCoder; Li et al. 2023): GPT-2 with one key-value head.

namespace {

ModelSpec readBigcodeSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layer", "num_hidden_layers"});
    spec.d_model = config.size({"n_embd", "hidden_size"});
    spec.n_heads = config.size({"n_head", "num_attention_heads"});
    spec.n_kv_heads = config.flagOr({"multi_query"}, true) ? 1 : spec.n_heads;
    config.sizeOr({"num_key_value_heads"}, spec.n_kv_heads); // says it once more
    for (const char* precision : {"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32"})
        config.flagOr({precision}, true); // of the softmax, which is float32 here
    spec.d_head = headSize(config, spec);
    spec.d_mlp = config.sizeOr({"n_inner"}, 4 * spec.d_model);
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.size({"n_positions", "max_position_embeddings"});
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.attention_scale = usualAttentionScale(spec);
    if (!config.flagOr({"scale_attn_weights"}, true))
        spec.attention_scale.assign(spec.n_layers, 1.0);
    spec.activation = readActivation(config, {"activation_function"}, "gelu_pytorch_tanh");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeGptBigcode(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture bigcode;
    bigcode.spec = readBigcodeSpec(config);
    // Without multi-query the three are together head by head.
    const bool multi_query = bigcode.spec.n_kv_heads == 1;
    bigcode.base_prefix = "transformer.";
    bigcode.tensors = {
        {W_E, "transformer.wte.weight"},
        {W_pos, "transformer.wpe.weight"},
        {Ln1Weight, "transformer.h.{}.ln_1.weight"},
        {Ln1Bias, "transformer.h.{}.ln_1.bias"},
        {W_QKV, "transformer.h.{}.attn.c_attn.weight", multi_query ? Transposed : GroupedQkv},
        {b_QKV, "transformer.h.{}.attn.c_attn.bias", multi_query ? AsStored : GroupedQkv},
        {W_O, "transformer.h.{}.attn.c_proj.weight", Transposed},
        {b_O, "transformer.h.{}.attn.c_proj.bias"},
        {Ln2Weight, "transformer.h.{}.ln_2.weight"},
        {Ln2Bias, "transformer.h.{}.ln_2.bias"},
        {W_in, "transformer.h.{}.mlp.c_fc.weight", Transposed},
        {b_in, "transformer.h.{}.mlp.c_fc.bias"},
        {W_out, "transformer.h.{}.mlp.c_proj.weight", Transposed},
        {b_out, "transformer.h.{}.mlp.c_proj.bias"},
        {LnFinalWeight, "transformer.ln_f.weight"},
        {LnFinalBias, "transformer.ln_f.bias"},
        {bigcode.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    bigcode.extras = causalMaskBuffers();
    return bigcode;
}

// MPT (MosaicML 2023): ALiBi in place of positions, no biases at all.

namespace {

/// Refuses the options that the models of the family do not have.
void readMptAttention(ConfigReader& config, ModelSpec& spec) {
    spec.attention_scale = usualAttentionScale(spec);
    auto attention = config.object("attn_config");
    if (!attention)
        return;
    if (attention->number("clip_qkv") != 0.0) // 0 means none here
        spec.qkv_clip = readClip(*attention);
    attention->refuse("qk_ln", "norms of queries and keys are not supported in this family");
    attention->refuse("prefix_lm", "prefixes that see themselves whole are not supported");
    const double usual = spec.attention_scale.empty() ? 1.0 : spec.attention_scale.front();
    spec.attention_scale.assign(spec.n_layers, attention->positiveOr({"softmax_scale"}, usual));
    if (!attention->flagOr({"alibi"}, true) || attention->sizeOr({"alibi_bias_max"}, 8) != 8)
        attention->fail(ErrorCode::Unsupported,
                        "has attention without ALiBi, or with slopes other than those of a largest "
                        "bias of 8, which are not supported.");
    if (attention->textOr({"attn_type"}, "multihead_attention") != "multihead_attention")
        attention->fail(ErrorCode::Unsupported,
                        "has an 'attn_type' other than multihead_attention, "
                        "which is not supported.");
}

ModelSpec readMptSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"n_layers", "num_hidden_layers"});
    spec.d_model = config.size({"d_model", "hidden_size"});
    spec.n_heads = config.size({"n_heads", "num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = headSize(config, spec);
    spec.d_mlp = 4 * spec.d_model;
    if (config.sizeOr({"expansion_ratio"}, 4) != 4)
        config.note("expansion_ratio has no effect, as in transformers: the MLP is four times as "
                    "wide as the residual stream.");
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_seq_len"}, 2048);
    spec.norm.eps = config.positiveOr({"layer_norm_epsilon"}, 1e-5);
    spec.positions = PositionKind::Alibi;
    spec.alibi_slopes = alibiSlopes(spec.n_heads);
    readMptAttention(config, spec);
    spec.activation = Activation::GeluErf;
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, true);
    readSpecialTokens(config, spec);
    return spec;
}

} // namespace

Architecture describeMpt(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture mpt;
    mpt.spec = readMptSpec(config);
    mpt.base_prefix = "transformer.";
    mpt.tensors = {
        {W_E, "transformer.wte.weight"},
        {Ln1Weight, "transformer.blocks.{}.norm_1.weight"},
        {W_QKV, "transformer.blocks.{}.attn.Wqkv.weight", Transposed},
        {W_O, "transformer.blocks.{}.attn.out_proj.weight", Transposed},
        {Ln2Weight, "transformer.blocks.{}.norm_2.weight"},
        {W_in, "transformer.blocks.{}.ffn.up_proj.weight", Transposed},
        {W_out, "transformer.blocks.{}.ffn.down_proj.weight", Transposed},
        {LnFinalWeight, "transformer.norm_f.weight"},
        {mpt.spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
    return mpt;
}

// Persimmon (Elsen et al. 2023): GPT-NeoX with one branch after the other, squared ReLU, and
// LayerNorms over the queries and keys of each head.
Architecture describePersimmon(ConfigReader& config, const TensorSource&) {
    using enum WeightRole;
    using enum Layout;
    Architecture persimmon;
    ModelSpec& spec = persimmon.spec;
    spec = readLlamaSpec(config, {.n_ctx = 16'384});
    spec.n_kv_heads = spec.n_heads; // whatever the config says
    spec.norm = {NormKind::LayerNorm, config.positiveOr({"layer_norm_eps"}, 1e-5)};
    spec.rotary = readRotary(config, spec, {.fraction = 0.5, .reads_fraction = true});
    spec.mlp = MlpKind::Plain;
    spec.activation = readActivation(config, {"hidden_act"}, "relu2");
    persimmon.base_prefix = "model.";
    const std::string layer = "model.layers.{}.";
    const std::string attention = layer + "self_attn.";
    persimmon.tensors = {{W_E, "model.embed_tokens.weight"},
                         {W_QKV, attention + "query_key_value.weight", GroupedQkv},
                         {b_QKV, attention + "query_key_value.bias", GroupedQkv},
                         {W_O, attention + "dense.weight", Transposed},
                         {b_O, attention + "dense.bias"},
                         {W_in, layer + "mlp.dense_h_to_4h.weight", Transposed},
                         {b_in, layer + "mlp.dense_h_to_4h.bias"},
                         {W_out, layer + "mlp.dense_4h_to_h.weight", Transposed},
                         {b_out, layer + "mlp.dense_4h_to_h.bias"},
                         {LnFinalWeight, "model.final_layernorm.weight"},
                         {LnFinalBias, "model.final_layernorm.bias"},
                         {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
                         {Ln1Weight, layer + "input_layernorm.weight"},
                         {Ln1Bias, layer + "input_layernorm.bias"},
                         {Ln2Weight, layer + "post_attention_layernorm.weight"},
                         {Ln2Bias, layer + "post_attention_layernorm.bias"}};
    if (config.flagOr({"qk_layernorm"}, true)) {
        spec.qk_norm = QkNorm::PerHead;
        append(persimmon.tensors, {{QNormWeight, attention + "q_layernorm.weight"},
                                   {QNormBias, attention + "q_layernorm.bias"},
                                   {KNormWeight, attention + "k_layernorm.weight"},
                                   {KNormBias, attention + "k_layernorm.bias"}});
    }
    persimmon.extras = llamaBuffers();
    return persimmon;
}

} // namespace headscope
