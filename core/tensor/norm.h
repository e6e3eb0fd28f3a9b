#pragma once

#include "core/tensor/tensor.h"

#include <span>

namespace headscope {

/// Subtracts each row's mean.
void centreRows(MutableMatrixView x);

/// sqrt(mean(x²) + eps) of each row into `scale` [rows]: the denominator of RMSNorm (Zhang &
/// Sennrich 2019), and of LayerNorm (Ba et al. 2016) when the rows are centred.
void rmsOfRows(MatrixView x, double eps, std::span<float> scale);

/// Divides each row by its `scale`.
void divideRows(MutableMatrixView x, std::span<const float> scale);

/// Multiplies every row by `weight` [cols] and adds `bias` [cols]; an empty one is left out.
void scaleAndShift(MutableMatrixView x, std::span<const float> weight, std::span<const float> bias);

} // namespace headscope
