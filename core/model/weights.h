#pragma once

#include "core/tensor/tensor.h"
#include "core/tensor/weight_tensor.h"

#include <vector>

namespace headscope {

/// Empty tensors mean "none": no gain, no bias.
struct NormWeights {
    Tensor weight; ///< [d_model], or as wide as what is normalised
    Tensor bias;
};

/// Of ModelSpec::latent. Columns of heads are side by side.
struct LatentWeights {
    WeightTensor W_DQ;   ///< [d_model, d_queries], with LatentSpec::d_queries only
    Tensor b_DQ;         ///< [d_queries]
    NormWeights q_norm;  ///< [d_queries]
    WeightTensor W_UQ;   ///< [d_queries, n_heads·d_head], or [d_model, n_heads·d_head]
    WeightTensor W_DKV;  ///< [d_model, d_kv]
    Tensor b_DKV;        ///< [d_kv]
    NormWeights kv_norm; ///< [d_kv]
    WeightTensor W_KR;   ///< [d_model, d_shared], the leading dimensions of every head's keys
    Tensor b_KR;         ///< [d_shared]
    WeightTensor W_UK;   ///< [d_kv, n_heads·(d_head − d_shared)], the others
    WeightTensor W_UV;   ///< [d_kv, n_heads·d_head_v]
};

struct AttentionWeights {
    /// [d_model, (n_heads + 2·n_kv_heads)·d_head]: the columns of all queries, then keys, values;
    /// those of values are n_kv_heads·d_head_v where their width is another.
    WeightTensor W_QKV;
    Tensor b_QKV;         ///< one for each column of W_QKV
    LatentWeights latent; ///< in place of both with ModelSpec::latent
    NormWeights q_norm;   ///< [d_head] or [n_heads·d_head]: ModelSpec::hasQkGainsByHead
    NormWeights k_norm;   ///< [d_head] or [n_kv_heads·d_head]
    WeightTensor W_O;     ///< [n_heads·d_head, d_model], or [n_heads·d_head_v, d_model]
    Tensor b_O;           ///< [d_model]
    Tensor sinks;         ///< [n_heads], with ModelSpec::learned_sinks only
};

struct MlpWeights {
    WeightTensor W_gate; ///< [d_model, d_mlp], gated MLPs only
    Tensor b_gate;       ///< [d_mlp]
    WeightTensor W_in;   ///< [d_model, d_mlp]
    Tensor b_in;         ///< [d_mlp]
    NormWeights ln;      ///< [d_mlp], of activations, with ModelSpec::mlp_norm only
    WeightTensor W_out;  ///< [d_mlp, d_model]
    Tensor b_out;        ///< [d_model]
};

/// The weights of ModelSpec::experts; the matrices of all experts follow one another.
struct ExpertsWeights {
    WeightTensor W_router;        ///< [d_model, n_experts]
    Tensor b_router;              ///< [n_experts]
    Tensor b_choice;              ///< [n_experts], with ExpertsSpec::choice_bias only
    WeightTensor W_gate;          ///< [n_experts, d_model, d_mlp]
    Tensor b_gate;                ///< [n_experts, d_mlp]
    WeightTensor W_in;            ///< [n_experts, d_model, d_mlp]
    Tensor b_in;                  ///< [n_experts, d_mlp]
    WeightTensor W_out;           ///< [n_experts, d_mlp, d_model]
    Tensor b_out;                 ///< [n_experts, d_model]
    WeightTensor W_shared_router; ///< [d_model, 1], the gate of the shared expert
    MlpWeights shared;            ///< gated and without biases
};

struct LayerWeights {
    NormWeights ln1; ///< where it is: NormPlacement
    AttentionWeights attn;
    NormWeights ln1_post; ///< of attention's output, NormPlacement::Sandwich only
    NormWeights ln2;
    MlpWeights mlp;
    ExpertsWeights experts; ///< in place of `mlp`: ModelSpec::hasExperts
    NormWeights ln2_post;   ///< of the MLP's output, likewise
};

/// All parameters in the layout the GEMMs read. Matrices are as narrow as the file holds them,
/// vectors are float32.
struct Weights {
    WeightTensor W_E;          ///< [d_vocab, d_model] or [d_vocab, d_embed]
    WeightTensor W_project_in; ///< [d_embed, d_model], with d_embed only
    Tensor b_project_in;       ///< [d_model], with ModelSpec::narrow_embedding only
    WeightTensor W_pos;        ///< [n_ctx + position_offset, d_model or d_embed], of a table
    WeightTensor W_token_type; ///< [n_token_types, d_model or d_embed]
    WeightTensor W_task_type; ///< [n_task_types, d_model or d_embed], of which the first row counts
    WeightTensor W_rel_pos;   ///< [relative_buckets, n_heads], added to the scores of all layers
    NormWeights ln_embed;
    std::vector<LayerWeights> layers;
    NormWeights ln_final;

    WeightTensor W_mlm; ///< [d_model, width of W_E], masked-LM head only
    Tensor b_mlm;       ///< [width of W_E]
    NormWeights ln_mlm;

    WeightTensor W_project_out; ///< [d_model, d_embed], with ModelSpec::projectsParts() only
    WeightTensor W_U;           ///< [d_vocab or d_vocab_out, width of W_E]; empty when tied to it
    Tensor b_U;                 ///< [d_vocab or d_vocab_out]

    const WeightTensor& unembedding() const { return W_U.empty() ? W_E : W_U; }
};

} // namespace headscope
