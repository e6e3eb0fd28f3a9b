#pragma once

#include "core/base/layer_head.h"
#include "core/model/model.h"

#include <cmath>
#include <cstddef>
#include <span>

namespace headscope::test {

/// z of one head, in another basis: the columns of W_V and b_V times B, B⁻¹ times the rows of W_O.
/// `turn` mixes the numbers i and i + 1 of z, `scale` divides all of them.
inline void changeBasis(Model& model, LayerHead head, double turn, double scale) {
    const std::size_t width = model.spec.valueDim();
    AttentionWeights& attn = model.weights.layers[head.layer].attn;
    const std::size_t first = model.spec.queryWidth(head.layer) + model.spec.keyWidth(head.layer) +
                              model.spec.kvPlace(head) * width;
    const std::size_t first_out = model.spec.headPlace(head) * width;
    const auto mix = [&](float& a, float& b) {
        const double x = a;
        const double y = b;
        a = static_cast<float>(std::cos(turn) * x - std::sin(turn) * y);
        b = static_cast<float>(std::sin(turn) * x + std::cos(turn) * y);
    };
    attn.W_QKV = WeightTensor(attn.W_QKV.widened()); // of its own
    attn.W_O = WeightTensor(attn.W_O.widened());
    MutableMatrixView W_QKV = attn.W_QKV.floats().matrix();
    MutableMatrixView W_O = attn.W_O.floats().matrix();
    const std::span<float> b_V = attn.b_QKV.values().empty()
                                     ? std::span<float>()
                                     : attn.b_QKV.values().subspan(first, width);
    for (std::size_t i = 0; i + 1 < width; ++i) {
        for (std::size_t row = 0; row < W_QKV.rows; ++row)
            mix(W_QKV(row, first + i), W_QKV(row, first + i + 1));
        for (std::size_t col = 0; col < W_O.cols; ++col)
            mix(W_O(first_out + i, col), W_O(first_out + i + 1, col));
        if (!b_V.empty())
            mix(b_V[i], b_V[i + 1]);
    }
    const auto factor = static_cast<float>(scale);
    for (std::size_t i = 0; i < width; ++i) {
        for (std::size_t row = 0; row < W_QKV.rows; ++row)
            W_QKV(row, first + i) /= factor;
        for (std::size_t col = 0; col < W_O.cols; ++col)
            W_O(first_out + i, col) *= factor;
        if (!b_V.empty())
            b_V[i] /= factor;
    }
}

} // namespace headscope::test
