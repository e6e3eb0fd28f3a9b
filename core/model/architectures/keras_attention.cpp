// The attention layers of a Keras model whose other layers cannot be run: weights only.

#include "core/model/architectures/common.h"

namespace headscope {

namespace {

ModelSpec readSpec(ConfigReader& config) {
    ModelSpec spec;
    spec.n_layers = config.size({"num_hidden_layers"});
    spec.d_model = config.size({"hidden_size"});
    spec.n_heads = config.size({"num_attention_heads"});
    spec.n_kv_heads = spec.n_heads;
    spec.d_head = config.size({"head_dim"});
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
    using enum WeightRole;
    using enum Layout;
    Architecture keras;
    keras.spec = readSpec(config);
    keras.tensors = {
        {W_Q, "blocks.{}.attn.q_proj.weight", Transposed},
        {W_K, "blocks.{}.attn.k_proj.weight", Transposed},
        {W_V, "blocks.{}.attn.v_proj.weight", Transposed},
        {W_O, "blocks.{}.attn.o_proj.weight", Transposed},
    };
    if (config.flagOr({"attention_bias"}, true))
        append(keras.tensors, {{b_Q, "blocks.{}.attn.q_proj.bias"},
                               {b_K, "blocks.{}.attn.k_proj.bias"},
                               {b_V, "blocks.{}.attn.v_proj.bias"},
                               {b_O, "blocks.{}.attn.o_proj.bias"}});
    return keras;
}

} // namespace headscope
