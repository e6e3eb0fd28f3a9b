#pragma once

#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace headscope {

/// √(largest float32). A norm's scale beyond it is the root of a variance that overflows wherever a
/// network computes in float32, as it was trained to, and all that is divided by it becomes 0.
inline constexpr float kLargestNormScale = 1.8446743e19f;

/// Rows of x · W, W [inner, cols], that are computed between two looks at the stop token: about
/// 8 GFLOP, a tenth of a second of a slow machine, and never so few that packing W is the work.
inline std::size_t rowsPerStep(std::size_t inner, std::size_t cols) {
    constexpr std::size_t kMultiplications = std::size_t{4} << 30;
    return std::max<std::size_t>(128, kMultiplications / std::max<std::size_t>(1, inner * cols));
}

/// Rows of logits at a time: the vocabulary makes them wide, and who only reads them needs no more
/// in memory.
constexpr std::size_t kLogitRowsPerStep = 256;

/// x ⊙ weight + bias in place. `weight` and `bias` are as wide as x, or hold several such rows,
/// which the rows of x take in turn, as the gains of each head do; `first_row` is the number of x's
/// first row in that count.
void scaleAndShiftInTurn(MutableMatrixView x, std::size_t first_row, std::span<const float> weight,
                         std::span<const float> bias);

/// The queries of all heads at positions from a first one on, or their gradients, times
/// ModelSpec::queryGrowth; in place.
void growQueries(const ModelSpec& spec, std::size_t first_position, MutableMatrixView queries);

/// x → act(x), in place. SoLU takes x as one row.
void activate(Activation activation, std::span<float> x);

/// grad → grad · act′(x), in place; likewise.
void activateBackward(Activation activation, std::span<const float> x, std::span<float> grad);

} // namespace headscope
