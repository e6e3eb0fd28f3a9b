#pragma once

#include "core/engine/position_range.h"

#include <cstddef>

namespace headscope {

// Heads rest on position 0 where there is nothing to find. What a query attends to besides is its
// content, and some scores are shares of that.

/// Σ_{k≥1} A[q, k] of the weights of one query on `keys`. It is summed: of 1 − A[q, 0] only
/// rounding is left in a head that rests on position 0 wholly.
double contentOfRow(const float* weights, PositionRange keys);

/// Whether a sum over `rows` rows of `keys` weights each is no more than their rounding, and so
/// nothing to take shares of. NaN is more.
bool isRoundingOfRows(double sum, double rows, std::size_t keys);

} // namespace headscope
