#pragma once

#include "core/loading/architectures/architecture.h"

#include <vector>

namespace headscope {

/// The weights that the norms of a HookedTransformer have, by its normalization_type.
struct HookedNormParts {
    bool gains = true;
    bool biases = true;
};

/// The tensors that this network has in a state_dict of TransformerLens, where b_U may be left out.
std::vector<TensorRule> hookedTensors(ConfigReader& config, const TensorSource& file,
                                      const ModelSpec& spec, const HookedNormParts& parts);

/// What else such a file holds, or must not hold.
std::vector<ExtraRule> hookedExtras(const ModelSpec& spec, const HookedNormParts& parts);

} // namespace headscope
