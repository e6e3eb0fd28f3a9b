#pragma once

#include "core/base/token_id.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

enum class NormKind { LayerNorm, RmsNorm };

struct NormSpec {
    NormKind kind = NormKind::LayerNorm;
    double eps = 1e-5;
};

/// Where a block normalises.
enum class NormPlacement {
    Pre,  ///< x + f(norm(x)): GPT-2, Llama
    Post, ///< norm(x + f(x)): BERT
    None, ///< no norms at all: the bare teaching layer
};

enum class PositionKind { None, Learned, Rotary };

enum class RotaryScalingKind { None, Linear, Llama3 };

/// Rotary position embedding (Su et al. 2021). Pairs are (i, i + d_rotary/2).
struct RotarySpec {
    std::size_t d_rotary = 0; ///< leading dimensions of each head that are rotated
    double base = 10000.0;
    RotaryScalingKind scaling = RotaryScalingKind::None;
    double factor = 1.0;
    double low_freq_factor = 1.0;  ///< Llama3 only
    double high_freq_factor = 4.0; ///< Llama3 only
    double original_context = 0.0; ///< Llama3 only
};

enum class MlpKind { None, Plain, Gated };
enum class Activation { Relu, GeluErf, GeluTanh, QuickGelu, Silu };

/// What turns the last residual into logits.
enum class OutputHead {
    None,     ///< no vocabulary: the run ends with the residual stream
    Unembed,  ///< x · W_Uᵀ + b_U
    MaskedLm, ///< norm(act(x · W + b)) · W_Uᵀ + b_U: BERT
};

/// What the network is, as data. The engine asks this and never the family's name.
struct ModelSpec {
    std::string family; ///< model_type of the config, for display

    std::size_t n_layers = 0;
    std::size_t d_model = 0;
    std::size_t n_heads = 0;
    std::size_t n_kv_heads = 0; ///< = n_heads: MHA, 1: MQA, between: GQA
    std::size_t d_head = 0;
    std::size_t d_mlp = 0; ///< 0 without MLP
    std::size_t d_vocab = 0;
    std::size_t n_ctx = 0; ///< longest prompt the positions allow

    bool causal = true;

    NormSpec norm;
    NormPlacement norm_placement = NormPlacement::Pre;
    bool norm_after_embedding = false;
    bool final_norm = true;

    PositionKind positions = PositionKind::Learned;
    RotarySpec rotary; ///< read only with PositionKind::Rotary
    std::size_t n_token_types = 0;

    /// Factor on q·k before the softmax, one per layer.
    std::vector<double> attention_scale;

    MlpKind mlp = MlpKind::Plain;
    Activation activation = Activation::GeluTanh;

    OutputHead output = OutputHead::Unembed;
    bool tied_unembedding = false; ///< W_U is W_E

    /// TransformerLens names the embedding hooks of encoders "embed.hook_embed", of decoders
    /// "hook_embed"; this is the part before "hook_".
    std::string embedding_hook_prefix;

    std::optional<TokenId> bos_token;
    std::optional<TokenId> mask_token;

    std::size_t queryWidth() const { return n_heads * d_head; }
    std::size_t kvWidth() const { return n_kv_heads * d_head; }
    std::size_t qkvWidth() const { return queryWidth() + 2 * kvWidth(); }
    std::size_t headsPerGroup() const { return n_heads / n_kv_heads; }
    /// The KV head whose keys and values query head `head` reads.
    std::size_t kvHeadOf(std::size_t head) const { return head / headsPerGroup(); }
};

} // namespace headscope
