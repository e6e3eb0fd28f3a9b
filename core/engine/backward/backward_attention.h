#pragma once

#include "core/engine/attention.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <span>
#include <stop_token>

namespace headscope {

/// Where attendBackward() puts d metric / d of what one head read.
struct HeadGradient {
    MutableMatrixView d_q;      ///< [position, d_head], overwritten
    MutableMatrixView d_k;      ///< [position, d_head], added to: a KV group shares it
    MutableMatrixView d_v;      ///< [position, d_head], added to
    MutableMatrixView d_scores; ///< [query, key], zeros before; no data: not wanted
};

/// The reverse of attend(), with P = softmax(scores + mask) recomputed by blocks of rows (Dao et
/// al. 2022): d_v = Pᵀ d_z, d_P = d_z vᵀ, d_scores = P ∘ (d_P − Σ d_z ∘ z), and through
/// score = scale · q·k, soft-capped where the rule says so, to d_q and d_k.
/// z and d_z [position, d_head]; `blocks` holds 2 · blockSize(positions) numbers. A stop request
/// ends it between two blocks.
void attendBackward(const HeadInput& head, MatrixView z, MatrixView d_z,
                    const HeadGradient& gradient, std::span<float> blocks,
                    const std::stop_token& stop = {});

/// The same for one row of a pattern whose slope is known at its scores. d_scores [key] of the keys
/// that `query` sees, overwritten; d_q and d_k are added to.
void scoreRowBackward(const HeadInput& head, std::size_t query, std::span<float> d_scores,
                      const HeadGradient& gradient);

} // namespace headscope
