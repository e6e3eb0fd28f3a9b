#include "core/circuits/positional.h"

#include "core/engine/attention.h"
#include "core/model/model.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace headscope {

namespace {

PositionalAttention undefinedAttention(LayerHead head) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    return {head, kNaN, kNaN, 0, kNaN};
}

/// Which keys the rows of a pattern prefer.
class OffsetCount {
public:
    explicit OffsetCount(std::size_t positions) : behind_(positions + 1), ahead_(positions + 1) {}

    void add(std::size_t query, std::span<const float> row) {
        if (query == 0)
            return;
        ++rows_;
        previous_mass_ += static_cast<double>(row[query - 1]);
        const auto key = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
        ++(key <= query ? behind_[query - key] : ahead_[key - query]);
    }

    PositionalAttention result(LayerHead head) const {
        const auto rows = static_cast<double>(rows_);
        PositionalAttention attention = undefinedAttention(head);
        if (std::isnan(previous_mass_))
            return attention;
        attention.previous_mass = previous_mass_ / rows;
        attention.previous_share = static_cast<double>(behind_[1]) / rows;
        std::size_t most = 0;
        for (std::size_t distance = 0; distance < behind_.size(); ++distance) {
            for (const auto& [count, sign] :
                 {std::pair{behind_[distance], 1}, std::pair{ahead_[distance], -1}}) {
                if (count <= most)
                    continue;
                most = count;
                attention.best_offset = sign * static_cast<Offset>(distance);
            }
        }
        attention.best_offset_share = static_cast<double>(most) / rows;
        return attention;
    }

private:
    std::vector<std::size_t> behind_; ///< rows by how far behind the query their largest entry is
    std::vector<std::size_t> ahead_;
    std::size_t rows_ = 0;
    double previous_mass_ = 0.0;
};

PositionalAttention attentionByPosition(const FoldedWeights& weights, LayerHead head,
                                        const std::stop_token& stop) {
    const std::size_t positions = weights.W_pos.dim(0);
    Tensor q = Tensor::uninitialised({positions, weights.spec().d_head});
    Tensor k = Tensor::uninitialised({positions, weights.spec().d_head});
    multiply(weights.W_pos.matrix(), weights.queryWeights(head).matrix(), q.matrix());
    multiply(weights.W_pos.matrix(), weights.keyWeights(head).matrix(), k.matrix());
    if (!allFinite(q.matrix()) || !allFinite(k.matrix()))
        return undefinedAttention(head);
    const HeadInput input{head, q.matrix(), k.matrix(), {}, scoreRule(*weights.model, head)};
    const std::size_t step = std::min(positions, blockRows(positions));
    Tensor pattern = Tensor::uninitialised({step, positions});
    OffsetCount offsets(positions);
    for (std::size_t begin = 0; begin < positions && !stop.stop_requested(); begin += step) {
        const std::size_t count = std::min(step, positions - begin);
        const MutableMatrixView rows = pattern.matrix().rowRange(0, count);
        computePattern(input, {begin, begin + count}, {0, positions}, rows);
        for (std::size_t r = 0; r < count; ++r)
            offsets.add(begin + r, {rows.row(r), positions});
    }
    return offsets.result(head);
}

} // namespace

Result<std::vector<PositionalAttention>> positionalAttention(const FoldedWeights& weights,
                                                             const Progress& progress,
                                                             const std::stop_token& stop) {
    if (weights.spec().hasPositionTable() && weights.model->weights.W_pos.empty())
        return Error{ErrorCode::Unsupported,
                     "Attention by positions alone is not defined for this model, because its file "
                     "lacks the learned positions."};
    if (weights.spec().positions == PositionKind::Shortformer && weights.W_pos.empty())
        return Error{ErrorCode::Unsupported,
                     "Attention by positions alone is not defined for this model, because its "
                     "positions are added after the norm before attention, into which the weights "
                     "are folded."};
    if (weights.W_pos.empty())
        return Error{ErrorCode::Unsupported,
                     "Attention by positions alone is not defined for this model, because it has "
                     "no learned positions."};
    if (weights.spec().relative_buckets != 0 && weights.model->weights.W_rel_pos.empty())
        return Error{ErrorCode::Unsupported,
                     "Attention by positions alone is not defined for this model, because its file "
                     "lacks the biases by distance."};
    const ModelSpec& spec = weights.spec();
    const HeadIndex index = headIndex(spec);
    std::vector<PositionalAttention> heads(index.size());
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        parallelFor(spec.headsIn(layer), [&](std::size_t place, std::size_t) {
            const LayerHead head = spec.headAt(layer, place);
            heads[index.placeOf(head)] = attentionByPosition(weights, head, stop);
        });
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "The attention by positions was stopped."};
        report(progress, static_cast<double>(layer + 1) / static_cast<double>(spec.n_layers),
               "positions in layer " + std::to_string(layer));
    }
    return heads;
}

Result<MovedTokens> movedTokens(const FoldedWeights& weights, LayerHead head) {
    if (weights.W_E.empty())
        return Error{ErrorCode::Unsupported,
                     "This model has no embedding to read which tokens its heads match."};
    MovedTokens moved{head, Tensor::uninitialised({weights.W_E.dim(0), weights.spec().valueDim()})};
    multiply(weights.W_E.matrix(), weights.valueWeights(head).matrix(), moved.values.matrix());
    return moved;
}

Result<MatchAccuracy> kComposedInduction(const FoldedWeights& weights, const MovedTokens& previous,
                                         LayerHead head, const VocabularySample& sample,
                                         std::optional<Offset> offset,
                                         const std::stop_token& stop) {
    if (previous.head.layer >= head.layer)
        return Error{ErrorCode::InvalidArgument,
                     "Only a head of an earlier layer can feed the keys of another."};
    const auto qk = qkCircuit(weights, head, offset);
    if (!qk)
        return qk.error();
    const std::size_t d_head = weights.spec().d_head;
    const std::size_t d_head_v = weights.spec().valueDim();
    // W_Q · (W_V · W_O · W_K)ᵀ = (W_Q · (W_O · W_K)ᵀ) · W_Vᵀ, and W_K here is what qkCircuit() has
    // transposed: so the table is the same for all heads that read `previous`.
    Tensor between = Tensor::uninitialised({d_head_v, d_head});
    multiplyTransposed(1.0f, weights.outputWeights(previous.head).matrix(), qk->right.matrix(),
                       between.matrix());
    Tensor queries = Tensor::uninitialised({sample.rows.size(), d_head});
    multiply(rowsOf(weights.W_E, sample.rows).matrix(), qk->left.matrix(), queries.matrix());
    Tensor asked = Tensor::uninitialised({sample.rows.size(), d_head_v});
    multiplyTransposed(1.0f, std::as_const(queries).matrix(), std::as_const(between).matrix(),
                       asked.matrix());
    return matchAccuracy(asked.matrix(), previous.values.matrix(), sample.rows, stop);
}

} // namespace headscope
