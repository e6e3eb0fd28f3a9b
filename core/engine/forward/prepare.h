#pragma once

#include "core/base/result.h"
#include "core/engine/forward/forward.h"
#include "core/engine/hooks/hook_dispatch.h"
#include "core/engine/run_item.h"
#include "core/model/model.h"

#include <memory>
#include <span>
#include <vector>

namespace headscope {

/// Whether the engine can do this: the first thing that is wrong with the prompts, with what they
/// bring along or with the request.
Result<void> checkRequest(const Model& model, std::span<const RunItem> items,
                          const Request& request);

/// Whether the run fits into the memory there is, with the figures when it does not.
Result<void> checkMemory(const Model& model, std::span<const PackedPrompt> prompts,
                         const Request& request);

/// Which part of the network the prompt goes through.
RunExtent extentOf(const ModelSpec& spec, const RunItem& item, const Request& request);

/// The prompts one under another, each with its own run and its hooks looked up. Refers to `items`.
Result<std::vector<PackedPrompt>> pack(const std::shared_ptr<const Model>& model,
                                       std::span<const RunItem> items, const Request& request);

} // namespace headscope
