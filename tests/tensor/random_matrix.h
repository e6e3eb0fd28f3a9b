#pragma once

#include "core/base/random.h"
#include "core/tensor/tensor.h"

#include <cstddef>

namespace headscope::test {

/// Numbers between −1 and 1.
inline Tensor randomMatrix(Random& random, std::size_t rows, std::size_t cols) {
    Tensor matrix({rows, cols});
    for (float& value : matrix.values())
        value = static_cast<float>(random.below(2001)) / 1000.0f - 1.0f;
    return matrix;
}

} // namespace headscope::test
