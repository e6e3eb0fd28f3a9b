#include "core/tensor/norm_backward.h"

#include <cassert>

namespace headscope {

void scaleGradient(MatrixView y, std::span<const float> scale, MatrixView d_y,
                   std::span<float> d_scale) {
    assert(scale.size() == y.rows && d_scale.size() == y.rows && d_y.rows == y.rows);
    for (std::size_t r = 0; r < y.rows; ++r) {
        const float* value = y.row(r);
        const float* gradient = d_y.row(r);
        double sum = 0.0;
        for (std::size_t c = 0; c < y.cols; ++c)
            sum += static_cast<double>(gradient[c]) * value[c];
        d_scale[r] = static_cast<float>(-sum / scale[r]);
    }
}

void divideByRmsBackward(MatrixView y, std::span<const float> scale, std::span<const float> d_scale,
                         MutableMatrixView d) {
    assert(scale.size() == y.rows && d_scale.size() == y.rows && d.rows == y.rows);
    for (std::size_t r = 0; r < y.rows; ++r) {
        const float* value = y.row(r);
        float* gradient = d.row(r);
        const float through_scale = d_scale[r] / static_cast<float>(y.cols);
        for (std::size_t c = 0; c < y.cols; ++c)
            gradient[c] = gradient[c] / scale[r] + through_scale * value[c];
    }
}

} // namespace headscope
