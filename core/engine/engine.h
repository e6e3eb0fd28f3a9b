#pragma once

#include "core/base/result.h"
#include "core/engine/hooks.h"
#include "core/engine/run.h"
#include "core/engine/run_item.h"
#include "core/model/model.h"

#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// One forward pass over the prompts of a batch; one run for each, in their order. Fails when a
/// prompt is empty, longer than the context or holds an id outside the vocabulary, when a hook's
/// name matches nothing, when what an item brings along has another shape than the request needs,
/// when the run does not fit into memory, when a value is not finite (naming the first hook point
/// that shows it; the prompt runs once more for that), and with ErrorCode::Cancelled on a stop
/// request. Thread-safe: every run has its own workspace.
Result<std::vector<std::shared_ptr<const Run>>> runBatch(const std::shared_ptr<const Model>& model,
                                                         std::span<const RunItem> items,
                                                         const Request& request = {},
                                                         std::stop_token stop = {});

/// The same for one prompt.
Result<std::shared_ptr<const Run>> runModel(const std::shared_ptr<const Model>& model,
                                            const TokenIds& ids, const Request& request = {},
                                            const HookSet& hooks = {}, std::stop_token stop = {});

} // namespace headscope
