#include "core/tensor/nonlinear.h"

#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace headscope {

namespace {

std::vector<float> softmaxOf(std::span<const float> x) {
    std::vector<float> weights(x.begin(), x.end());
    softmaxInPlace(weights);
    return weights;
}

} // namespace

void relu(std::span<float> x) {
    kernels().relu(x.data(), x.size());
}

void reluSquared(std::span<float> x) {
    relu(x);
    for (float& value : x)
        value *= value;
}

void geluErf(std::span<float> x) {
    kernels().gelu_erf(x.data(), x.size());
}

void geluTanh(std::span<float> x) {
    kernels().gelu_tanh(x.data(), x.size());
}

void quickGelu(std::span<float> x) {
    kernels().quick_gelu(x.data(), x.size());
}

void silu(std::span<float> x) {
    kernels().silu(x.data(), x.size());
}

void solu(std::span<float> x) {
    const std::vector<float> weights = softmaxOf(x);
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= weights[i];
}

void softCap(float cap, std::span<float> x) {
    kernels().soft_cap(cap, x.data(), x.size());
}

void reluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().relu_backward(x.data(), grad.data(), x.size());
}

void reluSquaredBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    for (std::size_t i = 0; i < x.size(); ++i)
        grad[i] *= 2.0f * std::max(x[i], 0.0f);
}

void geluErfBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().gelu_erf_backward(x.data(), grad.data(), x.size());
}

void geluTanhBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().gelu_tanh_backward(x.data(), grad.data(), x.size());
}

void quickGeluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().quick_gelu_backward(x.data(), grad.data(), x.size());
}

void siluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().silu_backward(x.data(), grad.data(), x.size());
}

/// d y_i / d x_j = s_j (δ_ij (1 + x_j) − x_i s_i), of y_i = x_i s_i and s = softmax(x).
void soluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    const std::vector<float> weights = softmaxOf(x);
    double through_all = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
        through_all += double{grad[i]} * double{x[i]} * double{weights[i]};
    for (std::size_t i = 0; i < x.size(); ++i)
        grad[i] = weights[i] * (grad[i] * (1.0f + x[i]) - static_cast<float>(through_all));
}

void softCapBackward(float cap, std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().soft_cap_backward(cap, x.data(), grad.data(), x.size());
}

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

RowLse softmaxInPlace(std::span<float> scores, float sink) {
    const KernelTable& kernel = kernels();
    const float largest = std::max(kernel.largest(scores.data(), scores.size()), sink);
    kernel.exp_minus(largest, scores.data(), scores.size());
    const double of_sink = std::exp(static_cast<double>(sink) - static_cast<double>(largest));
    const double sum = kernel.sum(scores.data(), scores.size()) + of_sink;
    kernel.multiply_by_scalar(static_cast<float>(1.0 / sum), scores.data(), scores.size());
    return {largest, static_cast<float>(std::log(sum))};
}

void expMinus(RowLse lse, std::span<float> scores) {
    kernels().exp_minus(lse.largest, scores.data(), scores.size());
    kernels().multiply_by_scalar(std::exp(-lse.log_sum), scores.data(), scores.size());
}

double logSumExp(std::span<const float> scores) {
    // A term exp(−d) is off by d·2⁻²⁴, d being rounded to float, and by 1.3e-7, exp's own error,
    // both relative. Weighted by the terms, d averages at most log n, 10.8 for 50257 scores: so the
    // sum is off by at most 6.5e-7 + 1.3e-7, relative, which is the absolute error of its
    // logarithm.
    const KernelTable& kernel = kernels();
    const float largest = kernel.largest(scores.data(), scores.size());
    std::array<float, 1024> block;
    double sum = 0.0;
    for (std::size_t begin = 0; begin < scores.size(); begin += block.size()) {
        const std::size_t size = std::min(block.size(), scores.size() - begin);
        std::ranges::copy(scores.subspan(begin, size), block.begin());
        kernel.exp_minus(largest, block.data(), size);
        sum += kernel.sum(block.data(), size);
    }
    return largest + std::log(sum);
}

} // namespace headscope
