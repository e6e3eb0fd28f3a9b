#include "core/tensor/norm.h"

#include "core/tensor/gemm.h"

#include <cassert>
#include <cmath>

namespace headscope {

void centreRows(MutableMatrixView x) {
    for (std::size_t r = 0; r < x.rows; ++r) {
        float* row = x.row(r);
        double sum = 0.0;
        for (std::size_t c = 0; c < x.cols; ++c)
            sum += row[c];
        const auto mean = static_cast<float>(sum / static_cast<double>(x.cols));
        for (std::size_t c = 0; c < x.cols; ++c)
            row[c] -= mean;
    }
}

void rmsOfRows(MatrixView x, double eps, std::span<float> scale) {
    assert(scale.size() == x.rows);
    for (std::size_t r = 0; r < x.rows; ++r) {
        const float* row = x.row(r);
        double sum = 0.0;
        for (std::size_t c = 0; c < x.cols; ++c)
            sum += static_cast<double>(row[c]) * row[c];
        scale[r] = static_cast<float>(std::sqrt(sum / static_cast<double>(x.cols) + eps));
    }
}

void divideRows(MutableMatrixView x, std::span<const float> scale) {
    assert(scale.size() == x.rows);
    for (std::size_t r = 0; r < x.rows; ++r) {
        float* row = x.row(r);
        for (std::size_t c = 0; c < x.cols; ++c)
            row[c] /= scale[r];
    }
}

void scaleAndShift(MutableMatrixView x, std::span<const float> weight,
                   std::span<const float> bias) {
    if (!weight.empty()) {
        assert(weight.size() == x.cols);
        for (std::size_t r = 0; r < x.rows; ++r) {
            float* row = x.row(r);
            for (std::size_t c = 0; c < x.cols; ++c)
                row[c] *= weight[c];
        }
    }
    addBias(x, bias);
}

} // namespace headscope
