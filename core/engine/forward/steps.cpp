#include "core/engine/forward/steps.h"

#include "core/tensor/nonlinear.h"

namespace headscope {

void activate(Activation activation, std::span<float> x) {
    switch (activation) {
    case Activation::Relu:
        return relu(x);
    case Activation::ReluSquared:
        return reluSquared(x);
    case Activation::GeluErf:
        return geluErf(x);
    case Activation::GeluTanh:
        return geluTanh(x);
    case Activation::QuickGelu:
        return quickGelu(x);
    case Activation::Silu:
        return silu(x);
    case Activation::Solu:
        return solu(x);
    }
}

void activateBackward(Activation activation, std::span<const float> x, std::span<float> grad) {
    switch (activation) {
    case Activation::Relu:
        return reluBackward(x, grad);
    case Activation::ReluSquared:
        return reluSquaredBackward(x, grad);
    case Activation::GeluErf:
        return geluErfBackward(x, grad);
    case Activation::GeluTanh:
        return geluTanhBackward(x, grad);
    case Activation::QuickGelu:
        return quickGeluBackward(x, grad);
    case Activation::Silu:
        return siluBackward(x, grad);
    case Activation::Solu:
        return soluBackward(x, grad);
    }
}

} // namespace headscope
