#pragma once

#include "core/engine/hooks.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace headscope {

/// The step of the forward pass at which a hook point is called. The steps of a block are in no
/// order here; BlockPlan has their order.
enum class HookStep {
    Embedding,     ///< its parts
    EmbeddingDone, ///< their sum, and its norm
    ResidPre,
    AttentionInput,
    Ln1,
    Attention,
    Ln1Post,
    AttentionOutput,
    ResidMid,
    MlpInput,
    Ln2,
    Mlp,
    Ln2Post,
    MlpOutput,
    ResidPost,
    NormalizedResidPost,
    Unembedding,
};

/// What the value at a hook point looks like, apart from the number of positions.
enum class HookForm {
    Residual,         ///< [position, d_model]
    EmbeddingSum,     ///< [position, d_model], or [position, d_embed]
    Unembedded,       ///< likewise, of what is multiplied by W_U
    Scale,            ///< [position, 1]
    Query,            ///< [position, head, d_head]
    Key,              ///< [position, kv_head, d_head]
    Value,            ///< [position, kv_head, d_head_v]
    Z,                ///< [position, head, d_head_v]
    QueryLatent,      ///< [position, d_queries]
    KvLatent,         ///< [position, d_kv]
    QueryNorm,        ///< [position, head, d_head] or [position, n_heads·d_head], by QkNorm
    QueryNormScale,   ///< [position, head, 1] or [position, 1]
    KeyNorm,          ///< [position, kv_head, d_head] or [position, n_kv_heads·d_head]
    KeyNormScale,     ///< [position, kv_head, 1] or [position, 1]
    HeadResidual,     ///< [position, head, d_model]
    KeyValueResidual, ///< [position, kv_head, d_model]
    Square,           ///< [head, query, key]
    Mlp,              ///< [position, d_mlp]
    Router,           ///< [position, expert]
    Choices,          ///< [position, choice] of experts
};

/// One kind of hook point.
struct HookRow {
    HookKind kind;
    HookStep step;
    std::string_view name; ///< after "blocks.N." or the embedding prefix
    HookForm form;
    /// Whether a network that takes the step has this point, in the layer if it is in a block.
    bool (*exists)(const ModelSpec& spec, std::size_t layer);
    bool on_request = false; ///< globs must spell the name out
};

const HookRow& hookRow(HookKind kind);

/// The points that this network has at one step, of a block in this layer, in the order in which
/// they fire.
std::vector<HookKind> hooksAt(HookStep step, const ModelSpec& spec, std::size_t layer = 0);

/// Whether two layers have the same points.
bool haveSameHooks(const ModelSpec& spec, std::size_t a, std::size_t b);

} // namespace headscope
