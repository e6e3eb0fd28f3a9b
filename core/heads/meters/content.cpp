#include "core/heads/meters/content.h"

#include "core/tensor/kernels.h"
#include "core/tensor/rounding.h"

namespace headscope {

double contentOfRow(const float* weights, PositionRange keys) {
    const std::size_t first = keys.contains(0) ? 1 : 0;
    return kernels().sum(weights + first, keys.size() - first);
}

bool isRoundingOfRows(double sum, double rows, std::size_t keys) {
    return sum <= rows * roundingShare(keys);
}

} // namespace headscope
