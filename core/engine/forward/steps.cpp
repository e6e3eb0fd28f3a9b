#include "core/engine/forward/steps.h"

#include "core/tensor/nonlinear.h"

#include <algorithm>

namespace headscope {

void scaleAndShiftInTurn(MutableMatrixView x, std::size_t first_row, std::span<const float> weight,
                         std::span<const float> bias) {
    const std::size_t width = std::max(weight.size(), bias.size());
    if (width <= x.cols)
        return scaleAndShift(x, weight, bias);
    const std::size_t turns = width / x.cols;
    const auto turn = [&](std::span<const float> all, std::size_t row) {
        return all.empty() ? all : all.subspan((first_row + row) % turns * x.cols, x.cols);
    };
    for (std::size_t row = 0; row < x.rows; ++row)
        scaleAndShift(x.rowRange(row, 1), turn(weight, row), turn(bias, row));
}

void growQueries(const ModelSpec& spec, std::size_t first_position, MutableMatrixView queries) {
    if (spec.query_growth == 0.0)
        return;
    for (std::size_t row = 0; row < queries.rows; ++row) {
        const auto growth = static_cast<float>(spec.queryGrowth(first_position + row));
        for (float& value : std::span(queries.row(row), queries.cols))
            value *= growth;
    }
}

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
