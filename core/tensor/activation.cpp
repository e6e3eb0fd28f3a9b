#include "core/tensor/activation.h"

#include "core/tensor/kernel_table.h"

#include <cassert>

namespace headscope {

void relu(std::span<float> x) {
    kernels().relu(x.data(), x.size());
}

void geluErf(std::span<float> x) {
    kernels().geluErf(x.data(), x.size());
}

void geluTanh(std::span<float> x) {
    kernels().geluTanh(x.data(), x.size());
}

void quickGelu(std::span<float> x) {
    kernels().quickGelu(x.data(), x.size());
}

void silu(std::span<float> x) {
    kernels().silu(x.data(), x.size());
}

void softCap(float cap, std::span<float> x) {
    kernels().softCap(cap, x.data(), x.size());
}

void reluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().reluBackward(x.data(), grad.data(), x.size());
}

void geluErfBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().geluErfBackward(x.data(), grad.data(), x.size());
}

void geluTanhBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().geluTanhBackward(x.data(), grad.data(), x.size());
}

void quickGeluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().quickGeluBackward(x.data(), grad.data(), x.size());
}

void siluBackward(std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().siluBackward(x.data(), grad.data(), x.size());
}

void softCapBackward(float cap, std::span<const float> x, std::span<float> grad) {
    assert(x.size() == grad.size());
    kernels().softCapBackward(cap, x.data(), grad.data(), x.size());
}

} // namespace headscope
