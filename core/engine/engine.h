#pragma once

#include "core/base/result.h"
#include "core/engine/hook_set.h"
#include "core/engine/run.h"
#include "core/model/model.h"

#include <memory>
#include <optional>
#include <stop_token>

namespace headscope {

/// What a run must deliver; the engine leaves out everything else.
struct Request {
    bool logits = true;
    /// Run only the first n layers (no logits then).
    std::optional<std::size_t> layers;
};

/// One forward pass over one prompt. Fails when `ids` is empty, longer than the context or holds an
/// id outside the vocabulary, when a hook's name matches nothing, when the result is not finite
/// (naming the first hook point that shows it), and with ErrorCode::Cancelled on a stop request.
/// Thread-safe: every run has its own workspace.
Result<std::shared_ptr<const Run>> runModel(const std::shared_ptr<const Model>& model,
                                            const TokenIds& ids, const Request& request = {},
                                            const HookSet& hooks = {}, std::stop_token stop = {});

} // namespace headscope
