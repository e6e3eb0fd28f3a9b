#pragma once

#include "core/base/result.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <string_view>

namespace headscope {

/// What one forward pass takes, in bytes, apart from the weights and from what hooks capture.
struct RunMemory {
    std::size_t workspace = 0; ///< while it runs: residual stream, projections, MLP
    std::size_t kept = 0;      ///< afterwards: queries, keys, log Σ exp and logits

    std::size_t total() const { return workspace + kept; }
};

/// For a prompt of `positions` tokens. Grows with their number, not with its square, because
/// patterns are recomputed. Largest values where the numbers do not fit.
RunMemory runMemory(const ModelSpec& spec, std::size_t positions, bool logits = true);

/// Fails, with the figures, when the run needs more than `available` bytes.
Result<void> checkRunMemory(const RunMemory& memory, std::size_t positions, std::size_t available,
                            std::string_view model);

} // namespace headscope
