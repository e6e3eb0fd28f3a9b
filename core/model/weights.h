#pragma once

#include "core/tensor/tensor.h"

#include <vector>

namespace headscope {

/// Empty tensors mean "none": no gain, no bias.
struct NormWeights {
    Tensor weight; ///< [d_model]
    Tensor bias;   ///< [d_model]
};

struct AttentionWeights {
    /// [d_model, (n_heads + 2·n_kv_heads)·d_head]: the columns of all queries, then keys, values.
    Tensor W_QKV;
    Tensor b_QKV; ///< [(n_heads + 2·n_kv_heads)·d_head]
    Tensor W_O;   ///< [n_heads·d_head, d_model]
    Tensor b_O;   ///< [d_model]
};

struct MlpWeights {
    Tensor W_gate; ///< [d_model, d_mlp], gated MLPs only
    Tensor b_gate; ///< [d_mlp]
    Tensor W_in;   ///< [d_model, d_mlp]
    Tensor b_in;   ///< [d_mlp]
    Tensor W_out;  ///< [d_mlp, d_model]
    Tensor b_out;  ///< [d_model]
};

struct LayerWeights {
    NormWeights ln1; ///< before attention (pre) or after its residual sum (post)
    AttentionWeights attn;
    NormWeights ln2;
    MlpWeights mlp;
};

/// All parameters in the layout the GEMMs read; float32 whatever the file held.
struct Weights {
    Tensor W_E;          ///< [d_vocab, d_model]
    Tensor W_pos;        ///< [n_ctx, d_model], learned positions only
    Tensor W_token_type; ///< [n_token_types, d_model]
    NormWeights ln_embed;
    std::vector<LayerWeights> layers;
    NormWeights ln_final;

    Tensor W_mlm; ///< [d_model, d_model], masked-LM head only
    Tensor b_mlm; ///< [d_model]
    NormWeights ln_mlm;

    Tensor W_U; ///< [d_vocab, d_model]; empty when tied to W_E
    Tensor b_U; ///< [d_vocab]

    const Tensor& unembedding() const { return W_U.empty() ? W_E : W_U; }
};

} // namespace headscope
