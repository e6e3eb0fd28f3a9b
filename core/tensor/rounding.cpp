#include "core/tensor/rounding.h"

#include "core/tensor/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

bool areDifferent(double a, double b) {
    constexpr double kRounding = 1e-6; // of float32 logits, about 8 ε
    return !(std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b)));
}

bool isMoreThanRounding(double sum, double size) {
    return areDifferent(size + sum, size);
}

double frobeniusNorm(MatrixView x) {
    double sum = 0.0;
    for (std::size_t r = 0; r < x.rows; ++r)
        sum += kernels().sum_of_squares(x.row(r), x.cols);
    return std::sqrt(sum);
}

double roundingShare(std::size_t terms) {
    return static_cast<double>(std::numeric_limits<float>::epsilon()) *
           std::sqrt(static_cast<double>(terms));
}

} // namespace headscope
