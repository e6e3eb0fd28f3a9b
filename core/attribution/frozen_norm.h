#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tensor/tensor.h"

#include <vector>

namespace headscope {

/// A norm whose scale is held at the value it had in a run is linear in x: y = (x − mean) / scale ⊙
/// gain + bias, without the mean for RMSNorm. Replaces a direction d to read y in by the one to
/// read x in, so that y·d = x·direction + c, and returns c = bias·d.
double throughFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                         std::vector<double>& direction);

/// The same of several directions at once, in float32 and apart from the scale: replaces readouts
/// [d_model, c] of y by those of x, and returns what the bias adds to each [c]. x · readout is
/// still to be divided by the scale of a position, the bias is not.
std::vector<double> throughNormWeights(NormKind kind, const NormWeights& weights,
                                       MutableMatrixView readout);

/// The other way: replaces x by what such a norm makes of it, without its bias.
void alongFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                     std::vector<double>& x);

} // namespace headscope
