#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/engine/hooks.h"
#include "core/engine/position_range.h"
#include "core/model/model.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace headscope {

/// Patterns that a hook edited, which queries and keys no longer tell.
struct EditedPatterns {
    std::vector<std::size_t> places; ///< of the heads (ModelSpec::headPlace()), ascending
    Tensor weights;                  ///< [index in places, query, key]

    /// [query, key], or an empty view for a head that was left alone.
    MatrixView of(std::size_t place) const;
};

/// What attention of one layer is recomputed from.
struct LayerAttention {
    Tensor q;                ///< [position, head, d_head], after norm and rotary
    Tensor k;                ///< [position, kv_head, d_head], after norm and rotary
    Tensor v;                ///< [position, kv_head, d_head_v]; empty where values were not kept
    std::vector<RowLse> lse; ///< [head, position], log Σ_k exp(score) of each row
    EditedPatterns edited;
};

/// The result of one forward pass: a value, immutable for everybody but the engine, cheap to share.
/// Attention patterns are not stored; any tile is recomputed exactly from queries and keys.
struct Run {
    std::shared_ptr<const Model> model;
    TokenIds ids;
    /// One per layer up to the last that was run; empty where queries and keys were not kept.
    std::vector<LayerAttention> attention;
    Tensor logits; ///< [position, d_vocab] of the positions asked for; empty when not asked for
    std::map<HookPoint, Tensor> captured; ///< for HookSet::capture
    /// The same of single heads, with their axis kept.
    std::map<std::pair<HookPoint, std::size_t>, Tensor> captured_heads;
    std::vector<HookAudit> audit; ///< one per hook, in order of registration
    double seconds = 0.0;         ///< wall time of the forward pass

    std::size_t positions() const { return ids.size(); }

    /// Attention weights [rows, cols] of one head; exact (within 1e-6 of the forward pass's own).
    /// Masked entries are 0.
    Tensor pattern(LayerHead head, PositionRange queries, PositionRange keys) const;
    Tensor pattern(LayerHead head) const;

    /// Largest attention weight in each of rows × cols equal cells of a region, NaN where the mask
    /// hides a whole cell; one cell per weight where the region has no more than that. Needs memory
    /// for the cells and for a block of scores, not for the region.
    Tensor pooledPattern(LayerHead head, PositionRange queries, PositionRange keys,
                         std::size_t rows, std::size_t cols) const;

    /// One attention weight.
    float weight(LayerHead head, std::size_t query, std::size_t key) const;

    /// What the learned sink of a head takes of each row [query]: what its weights lack of 1. Empty
    /// without one (ModelSpec::learned_sinks).
    std::vector<float> sinkWeights(LayerHead head) const;
};

} // namespace headscope
