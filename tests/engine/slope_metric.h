#pragma once

#include "core/base/random.h"
#include "core/engine/backward.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"

#include <cmath>

namespace headscope::test {

/// Longer than the windows of the fixtures.
inline const TokenIds kPrompt{5, 17, 3, 22, 5, 17, 9, 26, 13, 8, 3, 21};

/// Evenly in ±1.
inline Tensor randomTensor(Random& random, Shape shape) {
    Tensor tensor(std::move(shape));
    for (float& value : tensor.values())
        value = static_cast<float>(random.below(20001)) / 10000.0f - 1.0f;
    return tensor;
}

/// Sums in double, leaving out where either is not finite (hidden scores).
inline double inner(const Tensor& a, const Tensor& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::isfinite(a.values()[i]) && std::isfinite(b.values()[i]))
            sum += static_cast<double>(a.values()[i]) * b.values()[i];
    return sum;
}
inline double length(const Tensor& x) {
    return std::sqrt(inner(x, x));
}

/// x = x + step · direction; x of rank 2 or 3.
inline void move(const MutableTensorView& x, double step, const Tensor& direction) {
    const std::size_t last = x.rank() - 1;
    const std::size_t rows = x.rank() == 3 ? x.shape[1] : 1;
    std::size_t next = 0;
    for (std::size_t i = 0; i < x.shape[0]; ++i)
        for (std::size_t j = 0; j < rows; ++j)
            for (std::size_t k = 0; k < x.shape[last]; ++k) {
                float& value = x.rank() == 3 ? x(i, j, k) : x(i, k);
                value = static_cast<float>(value + step * direction.values()[next++]);
            }
}

/// A linear metric Σ weight · logits of one network and prompt.
struct Metric {
    std::shared_ptr<const Model> model;
    Tensor weight; ///< [position, outputs()]

    double operator()(const HookSet& hooks) const {
        return inner(weight, require(runModel(model, kPrompt, {}, hooks))->logits);
    }
    Gradients gradients(const BackwardRequest& request) const {
        return require(runBackward(
            model, kPrompt, [&](const Tensor&) { return weight; }, request));
    }
    Tensor valueAt(HookPoint hook) const {
        HookSet hooks;
        hooks.capture(hook);
        return require(runModel(model, kPrompt, {}, hooks))->captured.at(hook);
    }
    double moved(HookPoint hook, double step, const Tensor& direction) const {
        HookSet hooks;
        hooks.edit(
            hook, [&](HookPoint, const MutableTensorView& value) { move(value, step, direction); });
        return (*this)(hooks);
    }
    /// Along `direction`, by differences of fourth order.
    double slope(HookPoint hook, double step, const Tensor& direction) const {
        const double near = moved(hook, step, direction) - moved(hook, -step, direction);
        const double far = moved(hook, 2 * step, direction) - moved(hook, -2 * step, direction);
        return (8 * near - far) / (12 * step);
    }
};

inline Metric metricOf(const std::shared_ptr<const Model>& model) {
    Random random(1);
    return {model, randomTensor(random, {kPrompt.size(), model->spec.outputs()})};
}

} // namespace headscope::test
