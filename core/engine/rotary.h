#pragma once

#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Sines and cosines of every position and pair, times the amplitude.
struct RotaryTable {
    Tensor cos; ///< [position, d_rotary/2]
    Tensor sin; ///< [position, d_rotary/2]
    RotaryPairs pairs = RotaryPairs::Halves;
};
RotaryTable rotaryTable(const RotarySpec& rotary, std::size_t positions);

/// Rotates the pairs of each head by position · frequency, in place. The columns of x are those of
/// `n_heads` heads side by side; its first row is position `first_position`.
void applyRotary(const RotaryTable& table, std::size_t n_heads, std::size_t first_position,
                 MutableMatrixView x);

} // namespace headscope
