#include "core/tensor/activation.h"

#include "core/tensor/kernels.h"
#include "core/tensor/softmax.h"

#include <algorithm>
#include <cassert>
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

} // namespace headscope
