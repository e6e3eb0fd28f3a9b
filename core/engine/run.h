#pragma once

#include "core/base/layer_head.h"
#include "core/base/token_id.h"
#include "core/engine/hook_set.h"
#include "core/engine/position_range.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace headscope {

/// What attention of one layer is recomputed from.
struct LayerAttention {
    Tensor q;   ///< [position, head, d_head], after norm and rotary
    Tensor k;   ///< [position, kv_head, d_head], after norm and rotary
    Tensor lse; ///< [head, position], log Σ_k exp(score) of each row
    /// [head, query, key]; only when a hook edited scores or pattern, which queries and keys then
    /// no longer tell.
    Tensor edited_pattern;
};

/// The result of one forward pass: a value, immutable for everybody but the engine, cheap to share.
/// Attention patterns are not stored; any tile is recomputed exactly from queries and keys.
struct Run {
    std::shared_ptr<const Model> model;
    TokenIds ids;
    std::vector<LayerAttention> attention;  ///< one per layer that was run
    Tensor logits;                          ///< [position, d_vocab]; empty when not asked for
    std::map<std::string, Tensor> captured; ///< by hook name, for HookSet::capture
    std::vector<HookAudit> audit;           ///< one per hook, in order of registration
    double seconds = 0.0;                   ///< wall time of the forward pass

    std::size_t positions() const { return ids.size(); }

    /// Attention weights [rows, cols] of one head; exact (within 1e-6 of the forward pass's own).
    /// Masked entries are 0.
    Tensor pattern(LayerHead head, PositionRange queries, PositionRange keys) const;
    Tensor pattern(LayerHead head) const;

    /// One attention weight.
    float weight(LayerHead head, std::size_t query, std::size_t key) const;
};

} // namespace headscope
