#pragma once

#include "core/base/per_head.h"
#include "core/model/model_spec.h"

namespace headscope {

/// The order of values per head of a network.
inline HeadIndex headIndex(const ModelSpec& spec) {
    return spec.kept_heads.empty() ? HeadIndex(spec.n_layers, spec.n_heads)
                                   : HeadIndex(spec.n_layers, spec.allHeads());
}

} // namespace headscope
