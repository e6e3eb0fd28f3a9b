#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tensor/tensor.h"

#include <vector>

namespace headscope {

/// throughFrozenNorm() for several directions at once and apart from the scale: replaces readouts
/// [d_model, c] of what a norm gives by those of what it reads, centred for a LayerNorm, and
/// returns what its bias adds to each [c]; both are still to be divided by the scale of a position,
/// the bias is not.
std::vector<double> throughNormWeights(NormKind kind, const NormWeights& weights,
                                       MutableMatrixView readout);

} // namespace headscope
