#pragma once

#include "core/engine/position_range.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// Sines and cosines of each position of a range and each pair, times the amplitude.
struct RotaryTable {
    Tensor cos; ///< [position of the range, d_rotary/2]
    Tensor sin; ///< [position of the range, d_rotary/2]
    RotaryPairs pairs = RotaryPairs::Halves;
};
/// The table of a text that ends with the range.
RotaryTable rotaryTable(const RotarySpec& rotary, PositionRange positions);
/// The table of a whole text.
RotaryTable rotaryTable(const RotarySpec& rotary, std::size_t positions);

/// Rotates the pairs of each head by position · frequency, in place. The columns of x are those of
/// `n_heads` heads side by side; its first row is row `first_row` of the table.
void applyRotary(const RotaryTable& table, std::size_t n_heads, std::size_t first_row,
                 MutableMatrixView x);

/// The transpose of a table's turns: it undoes them and keeps the amplitude.
RotaryTable transposed(RotaryTable table);

/// The inverse: it undoes turns and amplitude.
RotaryTable inverse(RotaryTable table);

} // namespace headscope
