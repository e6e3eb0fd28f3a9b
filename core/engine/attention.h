#pragma once

#include "core/base/layer_head.h"
#include "core/engine/pattern_observer.h"
#include "core/engine/position_range.h"
#include "core/model/model.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <span>
#include <stop_token>

namespace headscope {

/// Which keys a query may see; the same for all heads of a layer.
struct KeyMask {
    bool causal = true;
    std::size_t window = 0; ///< how many keys a query sees at most, as ModelSpec::windows; 0: all

    /// The keys that `query` sees; all others are masked.
    PositionRange visibleKeys(std::size_t query, std::size_t positions) const;
    /// The keys that at least one of `queries` sees; they have no gap.
    PositionRange visibleKeys(PositionRange queries, std::size_t positions) const;
};
KeyMask keyMask(const ModelSpec& spec, std::size_t layer);

/// What is added to the scores of one head by how far the key is from the query.
struct DistanceBias {
    float slope = 0.0f;     ///< ALiBi: slope · (key − query)
    float key_scale = 0.0f; ///< where not 0: key_scale · bfloat16(slope · key) instead
    const WeightTensor* buckets =
        nullptr;            ///< [bucket, head], of ModelSpec::relative_buckets; null: none
    std::size_t column = 0; ///< of the head in `buckets`

    bool isNone() const { return slope == 0.0f && buckets == nullptr; }
    float at(std::size_t query, std::size_t key) const;
};

/// How q·k becomes a score in one head. The forward pass and whoever looks at its attention
/// afterwards share this one definition. Refers to the weights it was made from.
struct ScoreRule {
    float scale = 1.0f;
    float softcap = 0.0f; ///< score → cap · tanh(score / cap); 0: none
    DistanceBias distance;
    KeyMask mask;
    float sink = kNoSink; ///< one more score in each row's softmax, of no key
};
ScoreRule scoreRule(const Model& model, LayerHead head);
ScoreRule scoreRule(const ModelSpec& spec, const Weights& weights, LayerHead head);

/// Scores [query, key] before the mask. The rows of q begin with position `first_query`, those of k
/// with `first_key`.
void computeScores(const ScoreRule& rule, MatrixView q, std::size_t first_query, MatrixView k,
                   std::size_t first_key, MutableMatrixView scores);

/// The same from scale · q kᵀ on, in place.
void finishScores(const ScoreRule& rule, std::size_t first_query, std::size_t first_key,
                  MutableMatrixView scores);

/// Queries, keys and values of one head; all heads of a KV group look at the same k and v.
struct HeadInput {
    LayerHead head;
    MatrixView q; ///< [query, d_head], after rotary
    MatrixView k; ///< [position, d_head], after rotary
    MatrixView v; ///< [position, d_head]; empty when nobody reads z
    ScoreRule rule;
    std::size_t first_query = 0; ///< position of the first row of q

    std::size_t positions() const { return k.rows; }
    PositionRange queries() const { return {first_query, first_query + q.rows}; }
};

/// One head of [position, head, d_head] as a matrix [position, d_head].
MatrixView headMatrix(const Tensor& x, std::size_t head);
MutableMatrixView headMatrix(Tensor& x, std::size_t head);

/// Rows of a pattern that are computed at once: few enough to stay in cache, enough for a product.
std::size_t blockRows(std::size_t positions);
/// What one block of scores takes, in numbers.
std::size_t blockSize(std::size_t positions);

/// pattern [query, key] of some queries and the keys that any of them sees; hidden entries are 0.
/// `lse` [query] receives log Σ exp of each row unless it is empty.
void computePattern(const HeadInput& head, PositionRange queries, PositionRange keys,
                    MutableMatrixView pattern, std::span<RowLse> lse = {});

/// z = softmax(scores + mask) · v (Vaswani et al. 2017), by blocks of rows that stay in cache,
/// without ever holding the whole pattern; keys that no row of a block may see are not touched.
/// `lse` [query] receives log Σ exp of each row. Without values in `head` only that is computed,
/// and what the observers see. `block` holds blockSize(positions) numbers. A stop request ends it
/// between two blocks.
void attend(const HeadInput& head, MutableMatrixView z, std::span<RowLse> lse,
            std::span<float> block, std::span<PatternObserver* const> observers = {},
            const std::stop_token& stop = {});

/// All scores with −∞ where the mask hides the key. scores [query, key].
void maskedScores(const HeadInput& head, MutableMatrixView scores);

/// Softmax of each row in place, with the head's sink. `lse` [query] receives log Σ exp of each
/// row.
void softmaxRows(const ScoreRule& rule, MutableMatrixView scores, std::span<RowLse> lse);

} // namespace headscope
