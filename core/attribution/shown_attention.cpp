#include "core/attribution/shown_attention.h"

#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

namespace {

constexpr double kMostOfTheAttention = 0.5;
constexpr double kNearlyAllAttention = 0.9;

} // namespace

double shareOfFirstKey(std::span<const float> column) {
    if (column.size() < 2)
        return 0.0;
    return std::accumulate(column.begin() + 1, column.end(), 0.0) /
           static_cast<double>(column.size() - 1);
}

double shareOfSink(std::span<const float> taken) {
    return std::accumulate(taken.begin(), taken.end(), 0.0) / static_cast<double>(taken.size());
}

bool hidesFirstKey(FirstKey choice, double share) {
    return choice == FirstKey::Hidden ||
           (choice == FirstKey::Automatic && share > kMostOfTheAttention);
}

ValueScale fittingScale(bool is_hidden, bool rows_are_rescaled, double share) {
    if (!is_hidden || rows_are_rescaled)
        return ValueScale::Linear;
    return share > kNearlyAllAttention ? ValueScale::Logarithmic : ValueScale::SquareRoot;
}

namespace {

/// Rows of v W_O that are in memory at once.
constexpr std::size_t kKeysAtOnce = 128;

/// ‖v_k W_O‖ of one head. v [key, d_head_v], W_O [d_head_v, d_model].
void rowNorms(MatrixView v, MatrixView W_O, std::span<float> norms) {
    Tensor written = Tensor::uninitialised({std::min(kKeysAtOnce, v.rows), W_O.cols});
    for (std::size_t begin = 0; begin < v.rows; begin += kKeysAtOnce) {
        const std::size_t count = std::min(kKeysAtOnce, v.rows - begin);
        multiply(v.rowRange(begin, count), W_O, written.matrix().rowRange(0, count));
        for (std::size_t key = 0; key < count; ++key) {
            const std::span<const float> row{written.matrix().row(key), W_O.cols};
            norms[begin + key] = std::sqrt(dot(row, row));
        }
    }
}

/// The norms of one head [key]. norms [layer, head, key].
template <class T>
std::span<T> normsOf(BasicTensorView<T> norms, LayerHead head) {
    return {&norms(head.layer, head.head, 0u), norms.shape[2]};
}

/// `v` [key, kv_head, d_head_v] of one layer.
void layerNorms(const Model& model, std::size_t layer, const Tensor& v, Tensor& norms) {
    const ModelSpec& spec = model.spec;
    const WeightMatrix W_O = model.weights.layers[layer].attn.W_O.matrix();
    parallelFor(spec.headsIn(layer), [&](std::size_t place, std::size_t) {
        const LayerHead head = spec.headAt(layer, place);
        const WidenedMatrix of_head(W_O.rowRange(place * spec.valueDim(), spec.valueDim()));
        rowNorms(headMatrix(v, spec.kvPlace(head)), *of_head, normsOf(norms.view(), head));
    });
}

/// Each column by its norm, in place. pattern [query, key], norms [key].
void weigh(MutableMatrixView pattern, std::span<const float> norms) {
    for (std::size_t row = 0; row < pattern.rows; ++row)
        for (std::size_t key = 0; key < pattern.cols; ++key)
            pattern(row, key) *= norms[key];
}

/// Divides each row of the tile by the sum of the whole row, unless that is 0.
void divideBySums(MutableMatrixView tile, MatrixView whole) {
    for (std::size_t row = 0; row < tile.rows; ++row) {
        double sum = 0.0;
        for (std::size_t key = 0; key < whole.cols; ++key)
            sum += static_cast<double>(whole(row, key));
        if (sum > 0.0)
            for (std::size_t key = 0; key < tile.cols; ++key)
                tile(row, key) = static_cast<float>(static_cast<double>(tile(row, key)) / sum);
    }
}

/// One of `cells` equal parts of a range.
PositionRange partOf(PositionRange range, std::size_t cell, std::size_t cells) {
    return {range.begin + range.size() * cell / cells,
            range.begin + range.size() * (cell + 1) / cells};
}

/// Raises the cells over `keys` to the largest values of one query inside them. values [key].
void raise(std::span<float> cells, PositionRange keys, std::span<const float> values,
           PositionRange visible) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const PositionRange seen = intersection(partOf(keys, i, cells.size()), visible);
        if (seen.size() > 0)
            cells[i] =
                std::fmax(cells[i], std::ranges::max(values.subspan(seen.begin, seen.size())));
    }
}

} // namespace

Result<Tensor> valueNorms(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                          const HookSet& hooks, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    Tensor norms({spec.n_layers, spec.n_heads, ids.size()});
    HookSet watched = hooks;
    watched.observe(HookKind::V, [&](HookPoint point, const TensorView& v) {
        layerNorms(*model, point.layer, copyOf(v), norms);
    });
    Request request;
    request.logits = false;
    request.keep_attention = false;
    const auto run = runModel(model, ids, request, watched, std::move(stop));
    if (!run)
        return run.error();
    return norms;
}

Tensor valueWeightedPattern(const Run& run, const Tensor& norms, LayerHead head,
                            PositionRange queries, PositionRange keys, RowScale scale) {
    const std::size_t positions = run.positions();
    assert(norms.dim(2) == positions);
    const std::span<const float> of_head = normsOf(norms.view(), head);
    Tensor tile = run.pattern(head, queries, keys);
    weigh(tile.matrix(), of_head.subspan(keys.begin, keys.size()));
    if (scale == RowScale::None)
        return tile;
    const std::size_t step = blockRows(positions);
    for (std::size_t begin = queries.begin; begin < queries.end; begin += step) {
        const PositionRange rows{begin, std::min(begin + step, queries.end)};
        Tensor whole = run.pattern(head, rows, {0, positions});
        weigh(whole.matrix(), of_head);
        divideBySums(tile.matrix().rowRange(begin - queries.begin, rows.size()), whole.matrix());
    }
    return tile;
}

Tensor pooledValueWeightedPattern(const Run& run, const Tensor& norms, LayerHead head,
                                  PositionRange queries, PositionRange keys, std::size_t rows,
                                  std::size_t cols) {
    const std::size_t positions = run.positions();
    const KeyMask mask = keyMask(run.model->spec, head.layer);
    Tensor pooled({std::min(rows, queries.size()), std::min(cols, keys.size())},
                  std::numeric_limits<float>::quiet_NaN());
    parallelFor(pooled.dim(0), [&](std::size_t row, std::size_t) {
        const PositionRange covered = partOf(queries, row, pooled.dim(0));
        const std::size_t step = blockRows(positions);
        for (std::size_t begin = covered.begin; begin < covered.end; begin += step) {
            const PositionRange block{begin, std::min(begin + step, covered.end)};
            const Tensor weighted =
                valueWeightedPattern(run, norms, head, block, {0, positions}, RowScale::SumToOne);
            for (std::size_t query = block.begin; query < block.end; ++query)
                raise({pooled.matrix().row(row), pooled.dim(1)}, keys,
                      {weighted.matrix().row(query - begin), positions},
                      mask.visibleKeys(query, positions));
        }
    });
    return pooled;
}

} // namespace headscope
