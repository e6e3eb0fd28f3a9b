#include "core/engine/run.h"

#include "core/engine/attention.h"
#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

namespace headscope {

namespace {

/// Without values: patterns only.
HeadInput headInput(const Run& run, LayerHead head) {
    const LayerAttention& layer = run.attention[head.layer];
    HeadInput input;
    input.head = head;
    input.q = headMatrix(layer.q, run.model->spec.headPlace(head));
    input.k = headMatrix(layer.k, run.model->spec.kvPlace(head));
    input.rule = scoreRule(*run.model, head);
    return input;
}

/// Scores [queries, keys]; entries that the mask hides are computed like the others.
void computeScores(const HeadInput& head, PositionRange queries, PositionRange keys,
                   MutableMatrixView scores) {
    headscope::computeScores(head.rule, head.q.rowRange(queries.begin, queries.size()),
                             queries.begin, head.k.rowRange(keys.begin, keys.size()), keys.begin,
                             scores);
}

} // namespace

MatrixView EditedPatterns::of(std::size_t place) const {
    const auto found = std::ranges::find(places, place);
    if (found == places.end())
        return {};
    const std::size_t positions = weights.dim(1);
    return weights.matrix().rowRange(static_cast<std::size_t>(found - places.begin()) * positions,
                                     positions);
}

Tensor Run::pattern(LayerHead head, PositionRange queries, PositionRange keys) const {
    assert(queries.end <= positions() && keys.end <= positions());
    Tensor tile({queries.size(), keys.size()});
    const LayerAttention& layer = attention[head.layer];
    const std::size_t place = model->spec.headPlace(head);
    if (const MatrixView edited = layer.edited.of(place); edited.data) {
        for (std::size_t row = 0; row < queries.size(); ++row)
            std::copy_n(edited.row(queries.begin + row) + keys.begin, keys.size(),
                        tile.matrix().row(row));
        return tile;
    }
    const HeadInput input = headInput(*this, head);
    const std::size_t step = blockRows(positions());
    const std::size_t blocks = (queries.size() + step - 1) / step;
    parallelFor(blocks, [&](std::size_t block, std::size_t) {
        const std::size_t begin = queries.begin + block * step;
        const PositionRange rows{begin, std::min(begin + step, queries.end)};
        const PositionRange seen =
            intersection(keys, input.rule.mask.visibleKeys(rows, positions()));
        if (seen.size() == 0)
            return;
        computeScores(input, rows, seen,
                      tile.matrix()
                          .rowRange(begin - queries.begin, rows.size())
                          .colRange(seen.begin - keys.begin, seen.size()));
        for (std::size_t query = rows.begin; query < rows.end; ++query) {
            float* const row = tile.matrix().row(query - queries.begin);
            const PositionRange visible =
                intersection(keys, input.rule.mask.visibleKeys(query, positions()));
            std::fill(row, row + (visible.begin - keys.begin), 0.0f);
            expMinus(layer.lse[place * positions() + query],
                     {row + (visible.begin - keys.begin), visible.size()});
            std::fill(row + (visible.end - keys.begin), row + keys.size(), 0.0f);
        }
    });
    return tile;
}

Tensor Run::pattern(LayerHead head) const {
    return pattern(head, {0, positions()}, {0, positions()});
}

float Run::weight(LayerHead head, std::size_t query, std::size_t key) const {
    const LayerAttention& layer = attention[head.layer];
    const std::size_t place = model->spec.headPlace(head);
    if (const MatrixView edited = layer.edited.of(place); edited.data)
        return edited(query, key);
    const HeadInput input = headInput(*this, head);
    if (!input.rule.mask.visibleKeys(query, positions()).contains(key))
        return 0.0f;
    const std::size_t d_head = model->spec.d_head;
    float score = input.rule.scale * dot({input.q.row(query), d_head}, {input.k.row(key), d_head});
    finishScores(input.rule, query, key, {&score, 1, 1, 1});
    expMinus(layer.lse[place * positions() + query], {&score, 1});
    return score;
}

std::vector<float> Run::sinkWeights(LayerHead head) const {
    if (!model->spec.learned_sinks)
        return {};
    const LayerAttention& layer = attention[head.layer];
    const std::size_t place = model->spec.headPlace(head);
    std::vector<float> taken(positions(), scoreRule(*model, head).sink);
    const MatrixView edited = layer.edited.of(place);
    for (std::size_t query = 0; query < taken.size(); ++query)
        if (edited.data)
            taken[query] = static_cast<float>(
                1.0 - std::accumulate(edited.row(query), edited.row(query) + edited.cols, 0.0));
        else
            expMinus(layer.lse[place * positions() + query], {&taken[query], 1});
    return taken;
}

namespace {

constexpr float kHidden = std::numeric_limits<float>::quiet_NaN();
constexpr float kNothing = -std::numeric_limits<float>::infinity();

/// Where the cells of a range begin, and where the last ends.
std::vector<std::size_t> cellBounds(PositionRange range, std::size_t cells) {
    std::vector<std::size_t> bounds;
    for (std::size_t i = 0; i <= cells; ++i)
        bounds.push_back(range.begin + range.size() * i / cells);
    return bounds;
}

/// Pools a region of one head's pattern into cells. exp is monotone: the largest score less its
/// row's log Σ exp is looked for, and exp taken of that alone.
class PatternPool {
public:
    PatternPool(const Run& run, LayerHead head, PositionRange queries, PositionRange keys,
                std::size_t rows, std::size_t cols)
        : positions_(run.positions()), rule_(scoreRule(*run.model, head)),
          q_(headMatrix(run.attention[head.layer].q, run.model->spec.headPlace(head))),
          k_(headMatrix(run.attention[head.layer].k, run.model->spec.kvPlace(head))),
          lse_(run.attention[head.layer].lse.data() +
               run.model->spec.headPlace(head) * run.positions()),
          edited_(run.attention[head.layer].edited.of(run.model->spec.headPlace(head))),
          keys_(keys), row_bounds_(cellBounds(queries, rows)), col_bounds_(cellBounds(keys, cols)),
          pooled_({rows, cols}, kNothing) {}

    Tensor operator()() {
        const std::size_t rows = pooled_.dim(0);
        const std::size_t queries = row_bounds_.back() - row_bounds_.front();
        const std::size_t block_rows = blockRows(positions_);
        // Cells of one task cover about a block of queries, so that a product is worth its packing.
        const std::size_t cells = std::max<std::size_t>(1, block_rows * rows / queries);
        Tensor blocks = Tensor::uninitialised({threads(), block_rows * keys_.size()});
        parallelFor((rows + cells - 1) / cells, [&](std::size_t task, std::size_t thread) {
            pool(task * cells, std::min(rows, (task + 1) * cells), block_rows,
                 blocks.matrix().row(thread));
        });
        return std::move(pooled_);
    }

private:
    /// Fills rows [first, last) of the cells, some queries at a time.
    void pool(std::size_t first, std::size_t last, std::size_t block_rows, float* block) {
        std::size_t cell = first;
        for (std::size_t begin = row_bounds_[first]; begin < row_bounds_[last];
             begin += block_rows) {
            const PositionRange queries{begin, std::min(begin + block_rows, row_bounds_[last])};
            const PositionRange seen =
                intersection(keys_, rule_.mask.visibleKeys(queries, positions_));
            const MutableMatrixView scores{block, queries.size(), seen.size(), seen.size()};
            if (!edited_.data && seen.size() > 0)
                computeScores(rule_, q_.rowRange(begin, queries.size()), begin,
                              k_.rowRange(seen.begin, seen.size()), seen.begin, scores);
            for (std::size_t query = queries.begin; query < queries.end; ++query) {
                while (row_bounds_[cell + 1] <= query)
                    ++cell;
                if (edited_.data)
                    raise(cell, query, edited_.row(query), 0, {});
                else
                    raise(cell, query, scores.row(query - begin), seen.begin, lse_[query]);
            }
        }
        const std::size_t cols = pooled_.dim(1);
        for (float& value : pooled_.values().subspan(first * cols, (last - first) * cols))
            value = value == kNothing ? kHidden : edited_.data ? value : std::exp(value);
    }

    /// Raises a row of cells to what one query has to say; `row` begins with key `first_key`.
    void raise(std::size_t cell, std::size_t query, const float* row, std::size_t first_key,
               RowLse lse) {
        const PositionRange visible = rule_.mask.visibleKeys(query, positions_);
        float* const values = pooled_.matrix().row(cell);
        for (std::size_t c = 0; c < pooled_.dim(1); ++c) {
            const PositionRange keys = intersection({col_bounds_[c], col_bounds_[c + 1]}, visible);
            if (keys.size() == 0)
                continue;
            const float largest = kernels().largest(row + (keys.begin - first_key), keys.size());
            values[c] = std::max(values[c], (largest - lse.largest) - lse.log_sum);
        }
    }

    std::size_t positions_;
    ScoreRule rule_;
    MatrixView q_;
    MatrixView k_;
    const RowLse* lse_;
    MatrixView edited_;
    PositionRange keys_;
    std::vector<std::size_t> row_bounds_;
    std::vector<std::size_t> col_bounds_;
    Tensor pooled_;
};

} // namespace

Tensor Run::pooledPattern(LayerHead head, PositionRange queries, PositionRange keys,
                          std::size_t rows, std::size_t cols) const {
    return PatternPool(*this, head, queries, keys, std::min(rows, queries.size()),
                       std::min(cols, keys.size()))();
}

} // namespace headscope
