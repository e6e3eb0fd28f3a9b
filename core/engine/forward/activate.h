#pragma once

#include "core/model/model_spec.h"

#include <span>

namespace headscope {

/// x → act(x), in place. SoLU takes x as one row.
void activate(Activation activation, std::span<float> x);

/// grad → grad · act′(x), in place; likewise.
void activateBackward(Activation activation, std::span<const float> x, std::span<float> grad);

} // namespace headscope
