#include "core/tensor/norm.h"

#include "core/tensor/gemm.h"
#include "core/tensor/kernel_table.h"

#include <cassert>
#include <cmath>

namespace headscope {

void centreRows(MutableMatrixView x) {
    const KernelTable& kernel = kernels();
    for (std::size_t r = 0; r < x.rows; ++r) {
        const double sum = kernel.sum(x.row(r), x.cols);
        const auto mean = static_cast<float>(sum / static_cast<double>(x.cols));
        kernel.subtract_scalar(mean, x.row(r), x.cols);
    }
}

void rmsOfRows(MatrixView x, double eps, std::span<float> scale) {
    assert(scale.size() == x.rows);
    for (std::size_t r = 0; r < x.rows; ++r) {
        const double sum = kernels().sum_of_squares(x.row(r), x.cols);
        scale[r] = static_cast<float>(std::sqrt(sum / static_cast<double>(x.cols) + eps));
    }
}

void divideRows(MutableMatrixView x, std::span<const float> scale) {
    assert(scale.size() == x.rows);
    for (std::size_t r = 0; r < x.rows; ++r)
        kernels().divide_by_scalar(scale[r], x.row(r), x.cols);
}

void scaleAndShift(MutableMatrixView x, std::span<const float> weight,
                   std::span<const float> bias) {
    if (!weight.empty()) {
        assert(weight.size() == x.cols);
        for (std::size_t r = 0; r < x.rows; ++r)
            kernels().multiply(weight.data(), x.row(r), x.cols);
    }
    addBias(x, bias);
}

} // namespace headscope
