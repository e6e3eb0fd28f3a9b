#include "core/tensor/activation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {

void relu(std::span<float> x) {
    for (float& value : x)
        value = std::max(value, 0.0f);
}

void geluErf(std::span<float> x) {
    constexpr float inverse_sqrt2 = 1.0f / std::numbers::sqrt2_v<float>;
    for (float& value : x)
        value *= 0.5f * (1.0f + std::erf(value * inverse_sqrt2));
}

void geluTanh(std::span<float> x) {
    // ½·(1 + tanh(y)) = σ(2y) with y = √(2/π)·(x + 0.044715 x³)
    const float two_sqrt_2_over_pi = 2.0f * std::sqrt(2.0f / std::numbers::pi_v<float>);
    for (float& value : x) {
        const float two_y = two_sqrt_2_over_pi * (value + 0.044715f * value * value * value);
        value /= 1.0f + std::exp(-two_y);
    }
}

void quickGelu(std::span<float> x) {
    for (float& value : x)
        value /= 1.0f + std::exp(-1.702f * value);
}

void silu(std::span<float> x) {
    for (float& value : x)
        value /= 1.0f + std::exp(-value);
}

void softCap(float cap, std::span<float> x) {
    for (float& value : x)
        value = cap * std::tanh(value / cap);
}

} // namespace headscope
