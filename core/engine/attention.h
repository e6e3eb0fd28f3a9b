#pragma once

#include "core/base/layer_head.h"
#include "core/engine/position_range.h"
#include "core/model/model_spec.h"
#include "core/tensor/tensor.h"

#include <span>

namespace headscope {

/// How q·k becomes a score in one head, and which keys a query may see. The forward pass and
/// whoever looks at its attention afterwards share this one definition.
struct ScoreRule {
    float scale = 1.0f;
    float softcap = 0.0f;     ///< score → cap · tanh(score / cap); 0: none
    float alibi_slope = 0.0f; ///< adds slope · (key − query); 0: none
    bool causal = true;
    std::size_t window = 0; ///< how many keys a query sees, itself included; 0: all

    /// The keys that `query` sees; all others are masked.
    PositionRange visibleKeys(std::size_t query, std::size_t positions) const;
};
ScoreRule scoreRule(const ModelSpec& spec, LayerHead head);

/// Scores [query, key] before the mask. The rows of q begin with position `first_query`, those of k
/// with `first_key`.
void computeScores(const ScoreRule& rule, MatrixView q, std::size_t first_query, MatrixView k,
                   std::size_t first_key, MutableMatrixView scores);

/// The same from scale · q kᵀ on, in place.
void finishScores(const ScoreRule& rule, std::size_t first_query, std::size_t first_key,
                  MutableMatrixView scores);

/// Queries, keys and values of one head; all heads of a KV group look at the same k and v.
struct HeadInput {
    MatrixView q; ///< [position, d_head], after rotary
    MatrixView k; ///< [position, d_head], after rotary
    MatrixView v; ///< [position, d_head]
    ScoreRule rule;

    std::size_t positions() const { return q.rows; }
};

/// One head of [position, head, d_head] as a matrix [position, d_head].
template <class T>
BasicMatrixView<T> headMatrix(const BasicTensorView<T>& x, std::size_t head) {
    return {x.data + head * x.strides[1], x.shape[0], x.shape[2], x.strides[0]};
}

/// z = softmax(scores + mask) · v (Vaswani et al. 2017), by blocks of rows that stay in cache,
/// without ever holding the whole pattern. `lse` [position] receives log Σ exp of each row.
void attend(const HeadInput& head, MutableMatrixView z, std::span<float> lse);

/// All scores with −∞ where the mask hides the key. scores [query, key].
void maskedScores(const HeadInput& head, MutableMatrixView scores);

/// Softmax of each row in place. `lse` [query] receives log Σ exp of each row.
void softmaxRows(MutableMatrixView scores, std::span<float> lse);

} // namespace headscope
