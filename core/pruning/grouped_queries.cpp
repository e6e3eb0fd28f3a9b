#include "core/pruning/grouped_queries.h"

#include "core/base/names.h"
#include "core/engine/engine.h"
#include "core/pruning/grouping/linear_pool.h"
#include "core/pruning/measure/passage_groups.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace headscope {

namespace {

constexpr Names<Pooling, 2> kPoolingNames{{
    {Pooling::Mean, "mean"},
    {Pooling::LeastSquares, "least squares"},
}};

/// What pools the keys and values of one layer.
struct LayerPools {
    std::vector<PoolMaps> keys;   ///< [new KV head], of the old ones in its group
    std::vector<PoolMaps> values; ///< likewise
    bool keeps_means = false;     ///< what the values lose on average goes into b_O
};

/// Columns [first, first + width) of all rows.
DoubleMatrix columnBlock(MatrixView from, std::size_t first, std::size_t width) {
    return DoubleMatrix(from.colRange(first, width));
}

void addTo(Tensor& to, std::size_t first, const DoubleMatrix& block) {
    const MutableMatrixView rows = to.matrix();
    for (std::size_t r = 0; r < block.rows; ++r)
        for (std::size_t c = 0; c < block.cols; ++c)
            rows.row(r)[first + c] += static_cast<float>(block(r, c));
}

std::vector<RotaryPlane> rotaryPlanes(const ModelSpec& spec, std::size_t layer) {
    std::vector<RotaryPlane> planes;
    if (const RotarySpec* const rotary = spec.rotaryIn(layer))
        for (std::size_t i = 0; i < rotary->d_rotary / 2; ++i)
            planes.push_back(rotary->pairs == RotaryPairs::Adjacent
                                 ? RotaryPlane{2 * i, 2 * i + 1}
                                 : RotaryPlane{i, i + rotary->d_rotary / 2});
    return planes;
}

/// One layer's attention with fewer KV heads.
class PooledLayer {
public:
    PooledLayer(const Model& model, std::size_t layer, std::size_t n_kv_heads)
        : spec_(model.spec), layer_(layer), from_(model.weights.layers[layer].attn),
          n_kv_heads_(n_kv_heads), in_group_(spec_.n_kv_heads / n_kv_heads) {}

    Result<AttentionWeights> operator()(Pooling pooling,
                                        const AttentionMoments::Layer* moments) const {
        const auto pools = poolsBy(pooling, moments);
        if (!pools)
            return pools.error();
        AttentionWeights pooled;
        pooled.W_QKV = fused(from_.W_QKV.widened(), *pools);
        if (!from_.b_QKV.empty())
            pooled.b_QKV = fused(from_.b_QKV, *pools);
        pooled.q_norm = from_.q_norm;
        pooled.k_norm = from_.k_norm;
        pooled.sinks = from_.sinks;
        pooled.W_O = outputWeights(*pools);
        pooled.b_O = pools->keeps_means ? outputBias(*pools, *moments) : from_.b_O;
        return pooled;
    }

private:
    Result<LayerPools> poolsBy(Pooling pooling, const AttentionMoments::Layer* moments) const {
        if (pooling == Pooling::Mean || spec_.qkv_clip != 0.0)
            return LayerPools{std::vector(n_kv_heads_, meanPool(in_group_, spec_.d_head)),
                              std::vector(n_kv_heads_, meanPool(in_group_, spec_.valueDim()))};
        LayerPools pools;
        pools.keeps_means = rowsSumToOne();
        for (std::size_t group = 0; group < n_kv_heads_; ++group) {
            auto keys = keyPool(group, *moments);
            if (!keys)
                return keys.error();
            pools.keys.push_back(*std::move(keys));
            auto values = valuePool(group, *moments);
            if (!values)
                return values.error();
            pools.values.push_back(*std::move(values));
        }
        return pools;
    }

    /// Only then can a bias make up for means, and a softmax does not see what all its scores
    /// share.
    bool rowsSumToOne() const { return !spec_.learned_sinks; }

    /// A score is q · k, so that a difference of keys weighs as Σ qᵀ q. What all keys have in
    /// common raises all scores of a row alike, which the softmax does not see, unless the common
    /// part turns with the position.
    Result<PoolMaps> keyPool(std::size_t group, const AttentionMoments::Layer& moments) const {
        if (spec_.qk_norm != QkNorm::None)
            return meanPool(in_group_, spec_.d_head);
        const auto planes = rotaryPlanes(spec_, layer_);
        std::vector<double> about =
            rowsSumToOne() ? moments.keys.mean() : std::vector<double>(spec_.keyWidth());
        for (const auto& [x, y] : planes)
            for (std::size_t kv_head = 0; kv_head < spec_.n_kv_heads; ++kv_head)
                about[kv_head * spec_.d_head + x] = about[kv_head * spec_.d_head + y] = 0.0;
        const auto columns = columnsOfGroup(group, spec_.d_head);
        return leastSquaresPool(submatrix(moments.keys.momentsAbout(about), columns, columns),
                                std::span(moments.queries).subspan(group * in_group_, in_group_),
                                planes);
    }

    /// What is written is z W_O, so that a difference of values weighs as Σ W_O W_Oᵀ of the
    /// readers; where a row of the pattern sums to one, of values from their mean.
    Result<PoolMaps> valuePool(std::size_t group, const AttentionMoments::Layer& moments) const {
        const std::size_t d_head_v = spec_.valueDim();
        std::vector<DoubleMatrix> weights(in_group_, DoubleMatrix(d_head_v, d_head_v));
        for (std::size_t i = 0; i < in_group_; ++i)
            for (const std::size_t head : readersOf(group * in_group_ + i)) {
                const DoubleMatrix W_O = outputRows(head);
                const DoubleMatrix gram = productTransposed(W_O, W_O);
                for (std::size_t at = 0; at < gram.values.size(); ++at)
                    weights[i].values[at] += gram.values[at];
            }
        const auto columns = columnsOfGroup(group, d_head_v);
        const std::vector<double> about =
            rowsSumToOne() ? moments.values.mean() : std::vector<double>(spec_.valueWidth());
        return leastSquaresPool(submatrix(moments.values.momentsAbout(about), columns, columns),
                                weights);
    }

    std::vector<std::size_t> columnsOfGroup(std::size_t group, std::size_t width) const {
        std::vector<std::size_t> columns(in_group_ * width);
        for (std::size_t i = 0; i < columns.size(); ++i)
            columns[i] = group * in_group_ * width + i;
        return columns;
    }

    std::vector<std::size_t> readersOf(std::size_t kv_head) const {
        std::vector<std::size_t> heads(spec_.headsPerGroup());
        for (std::size_t i = 0; i < heads.size(); ++i)
            heads[i] = kv_head * heads.size() + i;
        return heads;
    }

    DoubleMatrix outputRows(std::size_t head) const {
        return DoubleMatrix(from_.W_O.matrix().rowRange(head * spec_.valueDim(), spec_.valueDim()));
    }

    /// W_QKV, or b_QKV as its only row.
    Tensor fused(const Tensor& from, const LayerPools& pools) const {
        const std::size_t d_head = spec_.d_head;
        const std::size_t d_head_v = spec_.valueDim();
        Shape shape = from.shape();
        shape.back() = spec_.queryWidth() + n_kv_heads_ * (d_head + d_head_v);
        Tensor to(shape);
        for (std::size_t head = 0; head < spec_.n_heads; ++head) {
            const auto [group, i] = poolOf(head);
            addTo(to, head * d_head,
                  productTransposed(columnBlock(from.matrix(), head * d_head, d_head),
                                    pools.keys[group].out[i]));
        }
        const std::size_t first_value = spec_.queryWidth() + n_kv_heads_ * d_head;
        for (std::size_t kv_head = 0; kv_head < spec_.n_kv_heads; ++kv_head) {
            const std::size_t group = kv_head / in_group_;
            const std::size_t i = kv_head % in_group_;
            addTo(to, spec_.queryWidth() + group * d_head,
                  product(columnBlock(from.matrix(), spec_.queryWidth() + kv_head * d_head, d_head),
                          pools.keys[group].in[i]));
            addTo(to, first_value + group * d_head_v,
                  product(columnBlock(from.matrix(),
                                      spec_.queryWidth() + spec_.keyWidth() + kv_head * d_head_v,
                                      d_head_v),
                          pools.values[group].in[i]));
        }
        return to;
    }

    Tensor outputWeights(const LayerPools& pools) const {
        Tensor W_O(from_.W_O.shape());
        for (std::size_t head = 0; head < spec_.n_heads; ++head) {
            const auto [group, i] = poolOf(head);
            const DoubleMatrix rows = product(pools.values[group].out[i], outputRows(head));
            std::ranges::copy(rows.values, W_O.data() + head * spec_.valueDim() * spec_.d_model);
        }
        return W_O;
    }

    /// b_O + Σ over heads of (mean(v) − mean(pooled) out) W_O.
    Tensor outputBias(const LayerPools& pools, const AttentionMoments::Layer& moments) const {
        const std::size_t d_head_v = spec_.valueDim();
        const std::vector<double> mean = moments.values.mean();
        const auto meanOfValues = [&](std::size_t kv_head) {
            DoubleMatrix row(1, d_head_v);
            std::copy_n(mean.begin() + static_cast<std::ptrdiff_t>(kv_head * d_head_v), d_head_v,
                        row.values.begin());
            return row;
        };
        std::vector<double> bias(spec_.d_model);
        for (std::size_t head = 0; head < spec_.n_heads; ++head) {
            const auto [group, i] = poolOf(head);
            DoubleMatrix pooled(1, d_head_v);
            for (std::size_t other = 0; other < in_group_; ++other) {
                const DoubleMatrix part =
                    product(meanOfValues(group * in_group_ + other), pools.values[group].in[other]);
                for (std::size_t d = 0; d < d_head_v; ++d)
                    pooled(0, d) += part(0, d);
            }
            DoubleMatrix lost = meanOfValues(group * in_group_ + i);
            const DoubleMatrix read = product(pooled, pools.values[group].out[i]);
            for (std::size_t d = 0; d < d_head_v; ++d)
                lost(0, d) -= read(0, d);
            const DoubleMatrix written = product(lost, outputRows(head));
            for (std::size_t d = 0; d < bias.size(); ++d)
                bias[d] += written(0, d);
        }
        Tensor b_O({bias.size()});
        for (std::size_t d = 0; d < bias.size(); ++d)
            b_O(d) = static_cast<float>(bias[d] + (from_.b_O.empty() ? 0.0 : double{from_.b_O(d)}));
        return b_O;
    }

    /// The new KV head of a query head, and which of its group the old one was.
    std::pair<std::size_t, std::size_t> poolOf(std::size_t head) const {
        const std::size_t kv_head = head / spec_.headsPerGroup();
        return {kv_head / in_group_, kv_head % in_group_};
    }

    const ModelSpec& spec_;
    std::size_t layer_;
    const AttentionWeights& from_;
    std::size_t n_kv_heads_; ///< afterwards
    std::size_t in_group_;   ///< KV heads that become one
};

} // namespace

std::string_view poolingName(Pooling pooling) {
    return nameOf(kPoolingNames, pooling);
}

std::vector<Pooling> poolings() {
    return {Pooling::Mean, Pooling::LeastSquares};
}

Result<AttentionMoments> attentionMoments(const std::shared_ptr<const Model>& model,
                                          const PassageSet& text, const Progress& progress,
                                          const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    AttentionMoments moments;
    moments.layers.assign(spec.n_layers,
                          {std::vector(spec.n_kv_heads, DoubleMatrix(spec.d_head, spec.d_head)),
                           HeadMoments::ofWidth(spec.keyWidth()),
                           HeadMoments::ofWidth(spec.valueWidth())});
    // q, k, v: [position, heads, width]
    const auto rowsOf = [](const TensorView& x) {
        return MatrixView{x.data, x.shape[0], x.shape[1] * x.shape[2], x.strides[0]};
    };
    Request request;
    request.logits = false;
    request.keep_attention = false;
    for (const PassageBatch batch : passageBatches(text.passages)) {
        report(progress, static_cast<double>(batch.begin) / static_cast<double>(batch.total),
               "queries, keys and values");
        std::vector<RunItem> items(batch.size());
        for (std::size_t i = 0; i < items.size(); ++i) {
            items[i].ids = text.passages[batch.begin + i].ids;
            items[i].hooks.observe(HookKind::Q, [&](HookPoint point, const TensorView& q) {
                for (std::size_t head = 0; head < spec.n_heads; ++head)
                    addGram(rowsOf(q).colRange(head * spec.d_head, spec.d_head),
                            moments.layers[point.layer].queries[head / spec.headsPerGroup()]);
            });
            items[i].hooks.observe(HookKind::K, [&](HookPoint point, const TensorView& k) {
                moments.layers[point.layer].keys.add(rowsOf(k));
            });
            items[i].hooks.observe(HookKind::V, [&](HookPoint point, const TensorView& v) {
                moments.layers[point.layer].values.add(rowsOf(v));
            });
        }
        if (const auto runs = runBatch(model, items, request, stop); !runs)
            return runs.error();
    }
    return moments;
}

std::vector<std::size_t> pooledCounts(const ModelSpec& spec) {
    std::vector<std::size_t> counts;
    for (std::size_t count = spec.n_kv_heads / 2; count > 0; --count)
        if (spec.n_kv_heads % count == 0)
            counts.push_back(count);
    return counts;
}

Result<void> checkPoolable(const Model& model) {
    const ModelSpec& spec = model.spec;
    if (spec.latent)
        return Error{ErrorCode::Unsupported,
                     model.name + " has latent attention, which keeps no keys and values of single "
                                  "heads; there is nothing to pool."};
    if (spec.n_kv_heads < 2)
        return Error{ErrorCode::Unsupported,
                     model.name + " has one key and value head for all queries of a layer; there "
                                  "is nothing left to pool."};
    if (spec.allHeads().size() != spec.n_layers * spec.n_heads)
        return Error{ErrorCode::Unsupported,
                     model.name + " has lost heads, so that its groups differ in size; pool the "
                                  "keys and values of the whole model."};
    if (spec.qk_norm == QkNorm::AllHeads)
        return Error{ErrorCode::Unsupported,
                     model.name + " normalises the keys of all heads together, so that pooling "
                                  "some would change all."};
    if (spec.qk_norm_gains_by_head)
        return Error{ErrorCode::Unsupported,
                     model.name + " normalises the keys of each head with gains of its own, which "
                                  "a pooled key cannot keep."};
    return {};
}

Result<std::shared_ptr<const Model>> pooledModel(const Model& model, std::size_t n_kv_heads,
                                                 Pooling pooling, const AttentionMoments* moments) {
    assert(pooling == Pooling::Mean || moments);
    if (auto good = checkPoolable(model); !good)
        return good.error();
    const auto counts = pooledCounts(model.spec);
    if (std::ranges::find(counts, n_kv_heads) == counts.end())
        return Error{ErrorCode::InvalidArgument, std::to_string(model.spec.n_kv_heads) +
                                                     " key and value heads cannot be "
                                                     "pooled evenly to " +
                                                     std::to_string(n_kv_heads) + "."};
    auto pooled = std::make_shared<Model>(model);
    pooled->spec.n_kv_heads = n_kv_heads;
    std::vector<Result<void>> done(model.spec.n_layers);
    parallelFor(model.spec.n_layers, [&](std::size_t layer, std::size_t) {
        auto attention = PooledLayer(model, layer, n_kv_heads)(
            pooling, moments ? &moments->layers[layer] : nullptr);
        if (attention)
            pooled->weights.layers[layer].attn = *std::move(attention);
        else
            done[layer] = attention.error();
    });
    for (const Result<void>& layer : done)
        if (!layer)
            return layer.error();
    return std::shared_ptr<const Model>(std::move(pooled));
}

} // namespace headscope
