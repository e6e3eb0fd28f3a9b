#pragma once

#include "core/base/result.h"
#include "core/engine/forward/forward.h"
#include "core/engine/run_item.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <span>
#include <string_view>

namespace headscope {

/// What one forward pass takes, in bytes, apart from the weights and what the prompts bring along.
struct RunMemory {
    std::size_t workspace = 0; ///< while it runs: residual stream, projections, MLP, scores
    std::size_t kept = 0;      ///< afterwards: queries, keys, log Σ exp, logits, captures

    std::size_t total() const { return workspace + kept; }
};

/// The memory of a batch as it will run, with what its hooks capture. It grows with the number of
/// positions, not with its square, unless a hook looks at scores or patterns.
RunMemory runMemory(const ModelSpec& spec, std::span<const PackedPrompt> prompts,
                    const Request& request);

/// The memory of one prompt of `positions` tokens, without hooks. The largest value if a number
/// does not fit.
RunMemory runMemory(const ModelSpec& spec, std::size_t positions, const Request& request = {});

/// Fails, with the figures, when the run needs more than `available` bytes.
Result<void> checkRunMemory(const RunMemory& memory, std::size_t positions, std::size_t available,
                            std::string_view model);

} // namespace headscope
