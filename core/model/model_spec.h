#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"

#include <cstddef>
#include <optional>
#include <span>
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
    Pre,      ///< x + f(norm(x)): GPT-2, Llama
    Post,     ///< norm(x + f(x)): BERT
    Sandwich, ///< x + norm(f(norm(x))): Gemma 2
    Output,   ///< x + norm(f(x)): OLMo 2
    None,     ///< no norms at all: the bare teaching layer
};

/// What is normalised on the way from queries and keys to scores.
enum class QkNorm {
    None,
    PerHead,  ///< every head by itself, with one gain for all: Qwen 3
    AllHeads, ///< all heads of a position as one vector: OLMo 2
};

enum class PositionKind {
    None,
    Learned, ///< W_pos[position + position_offset] added to the embedding
    Rotary,  ///< queries and keys turned by the position
    Alibi,   ///< slope · (key − query) added to the scores (Press et al. 2022)
    /// W_pos[position] added to what queries and keys are made of, behind the norm before
    /// attention, and to nothing else (Press et al. 2021)
    Shortformer,
};

enum class RotaryPairs {
    Halves,   ///< (i, i + d_rotary/2): GPT-NeoX, Llama
    Adjacent, ///< (2i, 2i + 1): GPT-J
};

enum class RotaryScalingKind { None, Linear, Dynamic, Yarn, LongRope, Llama3 };

/// Rotary position embedding (Su et al. 2021), with what stretches it to longer prompts.
struct RotarySpec {
    std::size_t d_rotary = 0; ///< leading dimensions of each head that are rotated
    double base = 10000.0;
    RotaryPairs pairs = RotaryPairs::Halves;

    RotaryScalingKind scaling = RotaryScalingKind::None;
    double factor = 1.0;
    double original_context = 0.0; ///< positions known before stretching; not with Linear
    double amplitude = 1.0;        ///< factor on sine and cosine, "attention_factor"
    double low_freq_factor = 1.0;  ///< Llama3 only
    double high_freq_factor = 4.0; ///< Llama3 only
    double beta_fast = 32.0;       ///< Yarn only: turns in the original context, kept above
    double beta_slow = 1.0;        ///< Yarn only: stretched by the whole factor below
    bool whole_pairs = true;       ///< Yarn only: the ramp between them has whole ends
    /// LongRope only, [d_rotary/2]: what divides each frequency in prompts within the original
    /// context and beyond it.
    std::vector<double> short_factors;
    std::vector<double> long_factors;
};

enum class MlpKind { None, Plain, Gated };
enum class Activation {
    Relu,
    ReluSquared, ///< max(x, 0)² (So et al. 2021)
    GeluErf,
    GeluTanh,
    QuickGelu,
    Silu,
    Solu, ///< x ⊙ softmax(x) over all of d_mlp (Elhage et al. 2022)
};

/// What a router makes of the logits of one position, by which experts are chosen and weighted.
enum class RouterScores {
    Softmax,
    Sigmoid, ///< of each expert by itself: DeepSeek-V3
    /// Of each choice a softmax by itself, over the experts that were not chosen before it and
    /// whose logits are nearly as large: SparseMixer (Liu et al. 2024), Phi-3.5-MoE.
    SparseMixer,
};

/// What a learned bias of each expert is added to, for the choice alone and not for the weights.
enum class ChoiceBias { None, Scores, Logits };

/// A mixture of experts in place of an MLP (Shazeer et al. 2017). Each position goes through those
/// few gated MLPs for which the router's scores are largest; what they give is added up by weights,
/// which are these scores. The same for all layers that have one.
struct ExpertsSpec {
    std::size_t n_experts = 0;
    std::size_t n_chosen = 0; ///< that each position goes through
    std::size_t d_mlp = 0;    ///< of one expert
    RouterScores scores = RouterScores::Softmax;
    /// The weights are divided by their sum over the chosen experts, so that a softmax is over
    /// these alone.
    bool weights_sum_to_one = true;
    double weight_scale = 1.0; ///< multiplies all weights, behind that
    ChoiceBias choice_bias = ChoiceBias::None;
    /// Experts are chosen among those of n_groups_chosen groups, which are the ones whose two best
    /// experts are together the best, or whose best expert is; a group is as many neighbours as the
    /// others.
    std::size_t n_groups = 1;
    std::size_t n_groups_chosen = 1;
    bool groups_by_best = false;
    /// With SparseMixer, how far a logit l that counts may be below the largest m:
    /// (m − l) / max(|l|, m) ≤ this.
    double mixer_margin = 0.0;
    /// d_mlp of one more expert that every position goes through; 0: none.
    std::size_t d_shared = 0;
    bool shared_gate = true; ///< it is multiplied by σ(x · W_router), a gate of its own
    std::vector<std::size_t> dense_layers; ///< that have an MLP instead, ascending
    /// Of GPT-OSS: act(min(x W_gate, limit)) ⊙ (clamp(x W_in, ±limit) + 1); 0: act(x W_gate) ⊙ x
    /// W_in
    double limit = 0.0;
    bool biases = false; ///< of the router and of each expert's three matrices

    bool gatesShared() const { return d_shared != 0 && shared_gate; }
    bool choosesGroups() const { return n_groups_chosen < n_groups; }
};

/// Queries, keys and values that are made of latent vectors (DeepSeek-AI 2024, DeepSeek-V2, section
/// 2.1): of what attention reads, x, comes c = norm(x W_DKV + b), of which the values of every head
/// and most of its keys are made. The leading dimensions of keys, those that are rotated, are
/// x W_KR, the same for all heads. A network that generates keeps c and these alone.
struct LatentSpec {
    std::size_t d_kv = 0;      ///< width of c, "kv_lora_rank"
    std::size_t d_shared = 0;  ///< leading dimensions of each key that all heads share
    std::size_t d_queries = 0; ///< of a latent that queries are made of; 0: they are made of x
    double eps = 1e-6;         ///< of the norms of both latents

    NormSpec norm() const { return {NormKind::RmsNorm, eps}; }
};

/// What turns the last residual into logits.
enum class OutputHead {
    None,     ///< no vocabulary: the run ends with the residual stream
    Unembed,  ///< x · W_Uᵀ + b_U
    MaskedLm, ///< norm(act(x · W + b)) · W_Uᵀ + b_U: BERT
};

/// What belongs to the network and is not in its file. Layers are ascending.
struct AbsentParts {
    std::vector<std::size_t> attention; ///< layers that have none of their heads for it
    /// Layers that have heads, into which the norm before attention cannot be folded.
    std::vector<std::size_t> ln1;
    bool final_norm = false; ///< so that there are no logits

    bool hasAttention(std::size_t layer) const;
    bool hasLn1(std::size_t layer) const;
};

/// What the network is, as data. The engine asks this and never the family's name.
struct ModelSpec {
    std::string family; ///< model_type of the config, for display
    /// Why there are weights to look at but no run; a whole sentence. Empty: it can be run.
    std::string cannot_run;
    /// Why prompts are token ids whatever tokenizer there is; goes on behind "because". Empty: they
    /// need not be.
    std::string ids_only;
    AbsentParts absent;

    std::size_t n_layers = 0;
    std::size_t d_model = 0;
    std::size_t n_heads = 0;    ///< of a layer that has all of its heads
    std::size_t n_kv_heads = 0; ///< likewise; = n_heads: MHA, 1: MQA, between: GQA
    /// Where heads were removed with their weights, or are not in the file: which of the n_heads
    /// each layer has, ascending, perhaps none. A KV head goes with the last query head that reads
    /// it. Empty: all layers have all.
    std::vector<std::vector<std::size_t>> kept_heads;
    std::size_t d_head = 0;
    std::size_t d_head_v = 0; ///< of values and z where it is another than d_head, else 0
    std::size_t d_mlp = 0;    ///< 0 without MLP, or with experts in all layers
    std::size_t d_vocab = 0;
    /// Of the logits where they are not of the tokens that prompts are made of, but of classes,
    /// else 0.
    std::size_t d_vocab_out = 0;
    std::size_t d_embed = 0; ///< width of W_E and W_U where projections lead to d_model, else 0
    /// With d_embed: positions and token types are as wide as W_E, too, and their sum is normalised
    /// before it is projected, with a bias; a masked-LM head leads back to d_embed: ELECTRA,
    /// ALBERT.
    bool narrow_embedding = false;
    std::size_t n_ctx = 0; ///< longest prompt the positions allow

    bool causal = true;

    NormSpec norm;
    NormPlacement norm_placement = NormPlacement::Pre;
    /// With NormPlacement::Pre, layers whose attention reads the residual stream as it is,
    /// ascending: ModernBERT's first.
    std::vector<std::size_t> unnormed_layers;
    bool norm_after_embedding = false;
    bool final_norm = true;
    std::optional<NormKind> final_norm_kind; ///< where it is another than that of `norm`
    bool parallel_residual = false;          ///< attention and MLP read the same x: GPT-J
    bool shared_norm = false;                ///< ln2 is ln1: GPT-J, where GPT-NeoX has two

    double embedding_scale = 1.0; ///< factor on W_E[id]
    PositionKind positions = PositionKind::Learned;
    std::size_t position_offset = 0; ///< row of W_pos that the first token reads
    /// A token that advances no position and reads the row of W_pos before the first: RoBERTa's
    /// padding.
    std::optional<TokenId> uncounted_token;
    RotarySpec rotary;                       ///< read only with PositionKind::Rotary
    std::optional<RotarySpec> window_rotary; ///< of layers with a window, where it is another
    /// With PositionKind::Rotary, layers that turn nothing, ascending: SmolLM 3.
    std::vector<std::size_t> unrotated_layers;
    std::vector<double> alibi_slopes; ///< per head, with PositionKind::Alibi
    /// With PositionKind::Alibi the addend is bfloat16(slope · key), scaled as q·k is: Falcon.
    bool alibi_by_key = false;
    /// How many ranges of the distance from query to key have a bias on the scores, one for each
    /// head and the same in all layers (Raffel et al. 2020), whatever the positions; 0: none. The
    /// only one so far is MPNet's 32.
    std::size_t relative_buckets = 0;
    std::size_t n_token_types = 0;
    /// The first of so many rows of a table is added to every token beside its token type; 0: none.
    /// Other tasks are never asked for: ERNIE.
    std::size_t n_task_types = 0;
    /// The token that ends the first of two texts, with two token types or more: the tokens after
    /// its first appearance are segment 1, all others segment 0. BERT's [SEP].
    std::optional<TokenId> segment_separator;

    /// Factor on q·k before the softmax, one per layer.
    std::vector<double> attention_scale;
    /// How many keys a query sees, itself included, one per layer; 0: all. Empty: no windows. In a
    /// network that is not causal the query is in the middle of them, so that they are odd.
    std::vector<std::size_t> windows;
    double attention_softcap = 0.0; ///< score → cap · tanh(score / cap); 0: none
    double logit_softcap = 0.0;     ///< the same for logits
    /// Queries, keys and values are clamped to ±this: after the norm of queries and keys, where
    /// there is one, and before any rotation. 0: they are not. OLMo, MPT.
    double qkv_clip = 0.0;
    /// Queries are multiplied by 1 + query_growth · log(1 + ⌊position / growth_context⌋) in layers
    /// that rotate them; 0: they are not. Ministral 3.
    double query_growth = 0.0;
    std::size_t growth_context = 0;
    /// Each head has a learned score that counts in the softmax of all its rows and stands for no
    /// key, so that a row sums to less than 1: GPT-OSS.
    bool learned_sinks = false;
    /// Queries, keys and values are made through latent vectors and not by W_QKV.
    std::optional<LatentSpec> latent;
    QkNorm qk_norm = QkNorm::None; ///< of the kind of `norm`
    /// Queries and keys are normalised behind their rotation, not before it: Hunyuan. RMSNorm of
    /// each head only.
    bool qk_norm_after_rotary = false;
    /// With QkNorm::PerHead, each head has gains of its own: Command R+.
    bool qk_norm_gains_by_head = false;

    MlpKind mlp = MlpKind::Plain;
    Activation activation = Activation::GeluTanh;
    /// A norm of the kind of `norm` between the activation of a plain MLP and W_out: SoLU.
    bool mlp_norm = false;
    /// Of a gated MLP: (act(x W_gate) ⊙ (x W_in) + b_in) W_out, as TransformerLens has it.
    bool mlp_bias_behind_gate = false;
    std::optional<ExpertsSpec> experts; ///< in place of the MLP, in all layers or in some

    OutputHead output = OutputHead::Unembed;
    bool tied_unembedding = false;             ///< W_U is W_E
    std::optional<Activation> head_activation; ///< of the masked-LM head where it is another

    /// Heads that were cut out of the file, per layer; zeros stand in their place, so that their z
    /// is 0. Empty: none.
    std::vector<std::vector<std::size_t>> pruned_heads;

    /// TransformerLens names the embedding hooks of encoders "embed.hook_embed", of decoders
    /// "hook_embed"; this is the part before "hook_".
    std::string embedding_hook_prefix;

    std::optional<TokenId> bos_token;
    std::optional<TokenId> mask_token;

    /// How many logits a position has.
    bool predictsClasses() const { return d_vocab_out != 0; }
    std::size_t outputs() const { return predictsClasses() ? d_vocab_out : d_vocab; }
    /// Whether there are logits and they are of tokens, not of classes.
    bool predictsTokens() const { return output != OutputHead::None && !predictsClasses(); }
    /// Whether the logits at a position are of the token behind it.
    bool predictsNextToken() const { return causal && predictsTokens(); }
    Activation headActivation() const { return head_activation.value_or(activation); }
    NormSpec finalNorm() const { return {final_norm_kind.value_or(norm.kind), norm.eps}; }
    /// Whether positions have rows of a table.
    bool hasPositionTable() const {
        return positions == PositionKind::Learned || positions == PositionKind::Shortformer;
    }
    /// Whether what branches read is normalised, but in unnormed_layers.
    bool normsInputs() const {
        return norm_placement == NormPlacement::Pre || norm_placement == NormPlacement::Sandwich;
    }
    /// Whether ln1 stands in a layer where `norm_placement` puts it.
    bool hasLn1(std::size_t layer) const;
    bool normsAttentionInput(std::size_t layer) const { return normsInputs() && hasLn1(layer); }
    /// What turns the queries and keys of a layer; null where nothing does.
    const RotarySpec* rotaryIn(std::size_t layer) const;
    /// The factor by which the query at a position grows.
    double queryGrowth(std::size_t position) const;
    /// Whether a mixture of experts stands in place of a layer's MLP.
    bool hasExperts(std::size_t layer) const;
    /// The width of a layer's MLP, and of the widest one, be it an expert.
    std::size_t mlpWidth(std::size_t layer) const { return hasExperts(layer) ? 0 : d_mlp; }
    std::size_t widestMlp() const;

    /// The width of one head's values, and of its z.
    std::size_t valueDim() const { return d_head_v != 0 ? d_head_v : d_head; }
    /// How many heads one layer has.
    std::size_t headsIn(std::size_t layer) const;
    std::size_t kvHeadsIn(std::size_t layer) const;
    /// All heads, layer by layer.
    std::vector<LayerHead> allHeads() const;
    bool hasHead(LayerHead head) const;

    // Heads keep their numbers when others are removed; the arrays of a layer (weights, hooks) hold
    // those that are left, side by side.

    /// Where a head stands on the head axis of its layer's arrays.
    std::size_t headPlace(LayerHead head) const;
    /// The head at a place below headsIn().
    LayerHead headAt(std::size_t layer, std::size_t place) const;
    /// The KV head whose keys and values a query head reads.
    std::size_t kvHeadOf(LayerHead head) const { return head.head / headsPerGroup(); }
    /// Where that one stands on the KV head axis of its layer's arrays.
    std::size_t kvPlace(LayerHead head) const;
    /// The place of the first head that reads each KV head of a layer.
    std::vector<std::size_t> firstReaders(std::size_t layer) const;
    /// The heads of its layer that read the same KV head, itself among them, ascending.
    std::vector<LayerHead> groupOf(LayerHead head) const;

    /// Whether the gains of the norms of queries and keys are as many as these are wide.
    bool hasQkGainsByHead() const { return qk_norm == QkNorm::AllHeads || qk_norm_gains_by_head; }

    std::size_t queryWidth(std::size_t layer) const { return headsIn(layer) * d_head; }
    std::size_t keyWidth(std::size_t layer) const { return kvHeadsIn(layer) * d_head; }
    std::size_t valueWidth(std::size_t layer) const { return kvHeadsIn(layer) * valueDim(); }
    std::size_t qkvWidth(std::size_t layer) const {
        return queryWidth(layer) + keyWidth(layer) + valueWidth(layer);
    }
    std::size_t zWidth(std::size_t layer) const { return headsIn(layer) * valueDim(); }
    /// How many numbers of each token a layer keeps for those that follow: keys and values, or what
    /// they are made of.
    std::size_t cacheWidth(std::size_t layer) const;
    /// The width of the wider latent; 0 without one.
    std::size_t widestLatent() const;
    /// Of one head, the dimensions of its keys that it has for itself; all without a latent.
    std::size_t ownKeyDim() const { return latent ? d_head - latent->d_shared : d_head; }

    // Of a layer that has all of its heads, which is the widest.
    std::size_t queryWidth() const { return n_heads * d_head; }
    std::size_t keyWidth() const { return n_kv_heads * d_head; }
    std::size_t valueWidth() const { return n_kv_heads * valueDim(); }
    std::size_t qkvWidth() const { return queryWidth() + keyWidth() + valueWidth(); }
    std::size_t zWidth() const { return n_heads * valueDim(); }
    std::size_t headsPerGroup() const { return n_heads / n_kv_heads; }
    std::size_t embeddingWidth() const { return d_embed != 0 ? d_embed : d_model; }
    /// The width of what tokens, positions and token types add up to.
    std::size_t embeddingSumWidth() const { return narrow_embedding ? d_embed : d_model; }
    /// Whether each part of the embedding, or what is unembedded, passes a projection by itself.
    bool projectsParts() const { return d_embed != 0 && !narrow_embedding; }
    std::size_t window(std::size_t layer) const { return windows.empty() ? 0 : windows[layer]; }
    /// The segment, 0 or 1, of a token that follows these in its text.
    std::size_t segmentAfter(std::span<const TokenId> before) const;
    /// Of each token of a text; empty where the network knows no segments.
    std::vector<std::size_t> segmentsOf(std::span<const TokenId> ids) const;
};

} // namespace headscope
