#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hook_set.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// d metric / d logits [position, d_vocab] of a metric that reads the logits of one prompt.
using LogitGradient = std::function<Tensor(const Tensor& logits)>;

/// What a reverse pass keeps besides the gates.
struct BackwardRequest {
    /// The hook points whose gradient is kept. Globs mean points of [head, query, key] only where
    /// they spell them out: "*hook_pattern" does, "*" does not. Those of whole numbers
    /// (hook_expert_indices) have none, and who spells them out is refused.
    std::vector<HookSelector> hooks;
};

/// What one reverse pass found. The gradient at a hook point says how the metric changes when an
/// editor changes the value there: everything after it is computed again, everything before it and
/// the way around it (the scale of a norm, for one) stays.
struct Gradients {
    std::map<HookPoint, Tensor> hooks; ///< in the shape of hookShape()
    /// [layer, head], d metric / d ξ at ξ = 1, where ξ multiplies the z of a head (Michel et al.
    /// 2019): Σ over positions and d_head of d metric / d z · z. 0 where a layer has fewer heads.
    Tensor gates;
};

/// One forward and one reverse pass over one prompt. Fails as runModel() does, when the network has
/// no logits or the metric's gradient has another shape than they, and when a gradient is not
/// finite. Thread-safe: every call has its own workspace.
Result<Gradients> runBackward(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                              const LogitGradient& metric, const BackwardRequest& request = {},
                              std::stop_token stop = {});

} // namespace headscope
