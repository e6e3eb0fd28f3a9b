#pragma once

#include "core/tensor/tensor.h"

#include <span>

namespace headscope {

// Reverse of the steps of norm.h. Those of centreRows and of scaleAndShift's weight are these
// functions themselves, applied to the gradient.

/// Of y = x / scale by rows, the scale a variable of its own: d_scale = −Σ d_y ∘ y / scale.
void scaleGradient(MatrixView y, std::span<const float> scale, MatrixView d_y,
                   std::span<float> d_scale);

/// d_y → d_x in place, of y = x / rms(x) by rows: d_y / scale + d_scale · y / cols. The first term
/// is by x itself, the second by x inside the scale.
void divideByRmsBackward(MatrixView y, std::span<const float> scale, std::span<const float> d_scale,
                         MutableMatrixView d);

} // namespace headscope
