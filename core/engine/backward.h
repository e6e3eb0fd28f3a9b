#pragma once

#include "core/base/layer_head.h"
#include "core/base/per_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hooks.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// d metric / d logits [position, d_vocab] of a metric that reads the logits of one prompt.
using LogitGradient = std::function<Tensor(const Tensor& logits)>;

/// One number of a head's attention as a metric: how much a query attends to a key.
struct AttentionEntry {
    LayerHead head;
    std::size_t query = 0;
    std::size_t key = 0;
    bool score = false; ///< before the softmax, scaled; else the weight after it
};

/// Fails for a head the network lacks, for a query or key outside a prompt of `positions` tokens,
/// and where the mask hides the key.
Result<void> checkAttentionEntry(const AttentionEntry& entry, const ModelSpec& spec,
                                 std::size_t positions);

/// What a reverse pass keeps besides the gates, and what it starts from.
struct BackwardRequest {
    /// The hook points whose gradient is kept. Globs mean points of [head, query, key] only where
    /// they spell them out: "*hook_pattern" does, "*" does not. Points of whole
    /// numbers (hook_expert_indices) have no gradient; to spell them out is an error.
    std::vector<HookSelector> hooks;
    /// [position, d_model], the value at hook_embed in place of the tokens' embeddings: the
    /// gradients are those of the run with it. Empty: the tokens' own.
    Tensor embed = {};
    /// Further hooks of the forward pass, for values that would otherwise need another run.
    HookSet forward = {};
};

/// What one reverse pass found. The gradient at a hook point says how the metric changes when an
/// editor changes the value there: everything after it is computed again, everything before it and
/// the way around it (the scale of a norm, for one) stays.
struct Gradients {
    std::map<HookPoint, Tensor> hooks; ///< in the shape of hookShape()
    /// d metric / d ξ at ξ = 1, where ξ multiplies the z of a head (Michel et al. 2019): Σ over
    /// positions and d_head of d metric / d z · z.
    PerHead<float> gates;
};

/// One forward and one reverse pass over one prompt. Fails as runModel() does, when the network has
/// no logits or the metric's gradient has another shape than they, when `embed` has another shape
/// than asked for, and when a gradient is not finite. Thread-safe: every call has its own
/// workspace.
Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const LogitGradient& metric, const BackwardRequest& request = {},
                              std::stop_token stop = {});

/// The same of one attention weight A[q, k], with d A[q, k] / d score[q, j] = A[q, k] (δ_jk − A[q,
/// j]), or of one score. The run ends with that layer and needs no logits; after the queries, keys
/// and values of that layer there are no gradients, and the gates there are 0. Fails as
/// checkAttentionEntry() does.
Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const AttentionEntry& metric, const BackwardRequest& request = {},
                              std::stop_token stop = {});

} // namespace headscope
