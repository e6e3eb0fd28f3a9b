// Llama (Touvron et al. 2023): RMSNorm, rotary positions, gated MLP, grouped queries.

#include "core/model/architectures/common.h"

namespace headscope {

namespace {

ModelSpec readSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = config.sizeOr({"num_key_value_heads"}, spec.n_heads);
    spec.d_head = config.has("head_dim") ? config.size({"head_dim"}) : headSize(config, spec);
    spec.d_mlp = config.size({"intermediate_size"});
    spec.d_vocab = config.size({"vocab_size"});
    spec.n_ctx = config.sizeOr({"max_position_embeddings"}, 2048);
    spec.norm = {NormKind::RmsNorm, config.positiveOr({"rms_norm_eps"}, 1e-6)};
    spec.positions = PositionKind::Rotary;
    spec.rotary = readRotary(config, spec);
    spec.attention_scale = usualAttentionScale(spec);
    spec.mlp = MlpKind::Gated;
    spec.activation = readActivation(config, {"hidden_act"}, "silu");
    spec.tied_unembedding = config.flagOr({"tie_word_embeddings"}, false);
    readSpecialTokens(config, spec);
    return spec;
}

std::vector<TensorRule> tensorRules(const ModelSpec& spec) {
    using enum WeightRole;
    using enum Layout;
    return {
        {W_E, "model.embed_tokens.weight"},
        {Ln1Weight, "model.layers.{}.input_layernorm.weight"},
        {W_Q, "model.layers.{}.self_attn.q_proj.weight", Transposed},
        {W_K, "model.layers.{}.self_attn.k_proj.weight", Transposed},
        {W_V, "model.layers.{}.self_attn.v_proj.weight", Transposed},
        {W_O, "model.layers.{}.self_attn.o_proj.weight", Transposed},
        {Ln2Weight, "model.layers.{}.post_attention_layernorm.weight"},
        {W_gate, "model.layers.{}.mlp.gate_proj.weight", Transposed},
        {W_in, "model.layers.{}.mlp.up_proj.weight", Transposed},
        {W_out, "model.layers.{}.mlp.down_proj.weight", Transposed},
        {LnFinalWeight, "model.norm.weight"},
        {spec.tied_unembedding ? W_E : W_U, "lm_head.weight"},
    };
}

void addBiases(ConfigReader& config, Architecture& llama) {
    using enum WeightRole;
    if (config.flagOr({"attention_bias"}, false))
        append(llama.tensors, {{b_Q, "model.layers.{}.self_attn.q_proj.bias"},
                               {b_K, "model.layers.{}.self_attn.k_proj.bias"},
                               {b_V, "model.layers.{}.self_attn.v_proj.bias"},
                               {b_O, "model.layers.{}.self_attn.o_proj.bias"}});
    else
        llama.extras.push_back(
            {"*.self_attn.?_proj.bias", "attention_bias is not true in the config", true});
    if (config.flagOr({"mlp_bias"}, false))
        append(llama.tensors, {{b_gate, "model.layers.{}.mlp.gate_proj.bias"},
                               {b_in, "model.layers.{}.mlp.up_proj.bias"},
                               {b_out, "model.layers.{}.mlp.down_proj.bias"}});
    else
        llama.extras.push_back({"*.mlp.*_proj.bias", "mlp_bias is not true in the config", true});
}

} // namespace

Architecture describeLlama(ConfigReader& config, const TensorSource&) {
    Architecture llama;
    llama.spec = readSpec(config);
    llama.base_prefix = "model.";
    llama.tensors = tensorRules(llama.spec);
    llama.extras = {{"*rotary_emb.inv_freq", "rotary frequencies, which follow from the config"}};
    addBiases(config, llama);
    return llama;
}

} // namespace headscope
