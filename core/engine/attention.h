#pragma once

#include "core/tensor/tensor.h"

#include <span>

namespace headscope {

/// Queries, keys and values of one head; all heads of a KV group look at the same k and v.
struct HeadInput {
    MatrixView q; ///< [position, d_head], after rotary
    MatrixView k; ///< [position, d_head], after rotary
    MatrixView v; ///< [position, d_head]
    float scale = 1.0f;
    bool causal = true;

    std::size_t positions() const { return q.rows; }
    /// Query `row` sees keys [0, visibleKeys(row)).
    std::size_t visibleKeys(std::size_t row) const { return causal ? row + 1 : positions(); }
};

/// One head of [position, head, d_head] as a matrix [position, d_head].
template <class T>
BasicMatrixView<T> headMatrix(const BasicTensorView<T>& x, std::size_t head) {
    return {x.data + head * x.strides[1], x.shape[0], x.shape[2], x.strides[0]};
}

/// z = softmax(scale · q kᵀ + mask) · v (Vaswani et al. 2017), by blocks of rows that stay in
/// cache, without ever holding the whole pattern. `lse` [position] receives log Σ exp of each row.
void attend(const HeadInput& head, MutableMatrixView z, std::span<float> lse);

/// scale · q kᵀ with −∞ where the mask hides the key. scores [query, key].
void maskedScores(const HeadInput& head, MutableMatrixView scores);

/// Softmax of each row in place. `lse` [query] receives log Σ exp of each row.
void softmaxRows(MutableMatrixView scores, std::span<float> lse);

} // namespace headscope
