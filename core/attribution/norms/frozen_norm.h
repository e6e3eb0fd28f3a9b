#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"

#include <vector>

namespace headscope {

/// A norm whose scale is held at the value it had in a run is linear in x: y = (x − mean) / scale ⊙
/// gain + bias, without the mean for RMSNorm. Replaces a direction d to read y in by the one to
/// read x in, so that y·d = x·direction + c, and returns c = bias·d.
double throughFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                         std::vector<double>& direction);

/// The other way: replaces x by what such a norm makes of it, without its bias.
void alongFrozenNorm(NormKind kind, const NormWeights& weights, double scale,
                     std::vector<double>& x);

} // namespace headscope
