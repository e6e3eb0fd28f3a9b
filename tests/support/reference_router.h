#pragma once

#include "tests/support/reference_engine.h"

namespace headscope::test {

/// Which experts each position chooses and by what weights, in float64, from the logits of a
/// layer's router [position, expert] and its bias for the choice, which may be empty.
Routing referenceRouting(std::size_t layer, const ExpertsSpec& experts, Matrix of_router,
                         const Tensor& bias);

} // namespace headscope::test
