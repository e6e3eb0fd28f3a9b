#pragma once

#include "core/model/model_spec.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// Angular frequency of each rotated pair, [d_rotary/2], in radians per position, after scaling.
/// Dynamic and LongRope scaling look at the length of the prompt.
std::vector<double> rotaryFrequencies(const RotarySpec& rotary, std::size_t positions);

} // namespace headscope
