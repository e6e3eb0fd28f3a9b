#pragma once

#include "core/tensor/tensor.h"

#include <cstddef>

namespace headscope {

// A product whose exact value is 0 comes out as rounding, which is no signal: its sign and size
// change with the order of the sum, and so with the kernels of the processor. What is divided by
// such a product has to be told from it.

/// Whether two numbers that were computed from float32 sums differ by more than rounding; NaN
/// differs from all.
bool areDifferent(double a, double b);

/// Whether a sum is more than the rounding of its terms, whose magnitudes add up to `size`; NaN is.
bool isMoreThanRounding(double sum, double size);

/// ‖x‖_F, summed in double.
double frobeniusNorm(MatrixView x);

/// The rounding of a float32 sum of `terms` products, as a share of the norms of the two vectors:
/// ε √terms with ε = 2⁻²³. Rounding errors are of either sign, so that their sum grows with the
/// root of their number (Higham & Mary 2019, A new approach to probabilistic rounding error
/// analysis); ε is twice what one rounding does.
double roundingShare(std::size_t terms);

} // namespace headscope
