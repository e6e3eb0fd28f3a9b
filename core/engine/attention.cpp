#include "core/engine/attention.h"

#include "core/tensor/gemm.h"
#include "core/tensor/half.h"
#include "core/tensor/kernels.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace headscope {

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

float asBFloat16(float value) {
    return bfloat16ToFloat32(float32ToBFloat16(value));
}

/// Falcon's ALiBi, all of whose factors are bfloat16 in transformers.
float biasOfKey(const DistanceBias& distance, std::size_t key) {
    return distance.key_scale *
           asBFloat16(asBFloat16(distance.slope) * asBFloat16(static_cast<float>(key)));
}

/// Row r is query first_query + r, column c is key first_key + c.
void addDistance(const DistanceBias& distance, std::size_t first_query, std::size_t first_key,
                 MutableMatrixView scores) {
    if (scores.rows == 0)
        return;
    if (distance.key_scale != 0.0f) {
        std::vector<float> bias(scores.cols);
        for (std::size_t c = 0; c < scores.cols; ++c)
            bias[c] = biasOfKey(distance, first_key + c);
        for (std::size_t r = 0; r < scores.rows; ++r)
            kernels().add(bias.data(), scores.row(r), scores.cols);
        return;
    }
    // By key − query, from the first key of the last query on; a row is a part of it.
    const std::size_t last = scores.rows - 1;
    std::vector<float> bias(last + scores.cols);
    for (std::size_t r = 0; r < scores.rows; ++r)
        bias[last - r] = distance.at(first_query + r, first_key);
    for (std::size_t c = 0; c < scores.cols; ++c)
        bias[last + c] = distance.at(first_query, first_key + c);
    for (std::size_t r = 0; r < scores.rows; ++r)
        kernels().add(bias.data() + (last - r), scores.row(r), scores.cols);
}

/// The bucket of the distance between query and key (Raffel et al. 2020): the first half is for
/// keys before the query, the second half for keys after it. Each of the first distances has a
/// bucket of its own; then each bucket reaches √2 times as far, and the last one has no end. This
/// is what MPNet computes with 32 buckets and a largest distance of 128, in whole numbers.
std::size_t relativeBucket(std::size_t query, std::size_t key, std::size_t n_buckets) {
    const std::size_t half = n_buckets / 2;
    const std::size_t first = key > query ? half : 0;
    const std::size_t distance = std::max(query, key) - std::min(query, key);
    const std::size_t exact = half / 2;
    if (distance < exact)
        return first + distance;
    std::size_t bucket = exact;
    for (std::size_t reach = 2 * exact * exact; bucket + 1 < half && distance * distance >= reach;
         reach *= 2)
        ++bucket;
    return first + bucket;
}

/// Sets the columns outside `visible` to `value`; column 0 is key `first_key`.
void fillHidden(std::span<float> row, PositionRange visible, std::size_t first_key, float value) {
    std::ranges::fill(row.first(visible.begin - first_key), value);
    std::ranges::fill(row.subspan(visible.end - first_key), value);
}

} // namespace

PositionRange KeyMask::visibleKeys(std::size_t query, std::size_t positions) const {
    if (!causal) {
        const std::size_t reach = window == 0 ? positions : window / 2; // to both sides
        return {query - std::min(query, reach), std::min(query + reach + 1, positions)};
    }
    const std::size_t end = query + 1;
    return {window == 0 || window > end ? 0 : end - window, end};
}

PositionRange KeyMask::visibleKeys(PositionRange queries, std::size_t positions) const {
    return {visibleKeys(queries.begin, positions).begin,
            visibleKeys(queries.end - 1, positions).end};
}

KeyMask keyMask(const ModelSpec& spec, std::size_t layer) {
    return {spec.causal, spec.window(layer)};
}

float DistanceBias::at(std::size_t query, std::size_t key) const {
    if (key_scale != 0.0f)
        return biasOfKey(*this, key);
    const float distance = static_cast<float>(key) - static_cast<float>(query);
    const float by_bucket =
        buckets ? (*buckets)(relativeBucket(query, key, buckets->dim(0)), column) : 0.0f;
    return slope * distance + by_bucket;
}

ScoreRule scoreRule(const Model& model, LayerHead head) {
    return scoreRule(model.spec, model.weights, head);
}

ScoreRule scoreRule(const ModelSpec& spec, const Weights& weights, LayerHead head) {
    ScoreRule rule;
    rule.scale = static_cast<float>(spec.attention_scale[head.layer]);
    rule.softcap = static_cast<float>(spec.attention_softcap);
    if (spec.positions == PositionKind::Alibi)
        rule.distance.slope = static_cast<float>(spec.alibi_slopes[head.head]);
    if (spec.alibi_by_key)
        rule.distance.key_scale = rule.scale;
    if (!weights.W_rel_pos.empty()) {
        rule.distance.buckets = &weights.W_rel_pos;
        rule.distance.column = head.head;
    }
    rule.mask = keyMask(spec, head.layer);
    if (spec.learned_sinks)
        rule.sink = weights.layers[head.layer].attn.sinks(spec.headPlace(head));
    return rule;
}

void computeScores(const ScoreRule& rule, MatrixView q, std::size_t first_query, MatrixView k,
                   std::size_t first_key, MutableMatrixView scores) {
    multiplyTransposed(rule.scale, q, k, scores);
    finishScores(rule, first_query, first_key, scores);
}

void finishScores(const ScoreRule& rule, std::size_t first_query, std::size_t first_key,
                  MutableMatrixView scores) {
    if (rule.softcap != 0.0f)
        for (std::size_t r = 0; r < scores.rows; ++r)
            softCap(rule.softcap, {scores.row(r), scores.cols});
    if (!rule.distance.isNone())
        addDistance(rule.distance, first_query, first_key, scores);
}

MatrixView headMatrix(const Tensor& x, std::size_t head) {
    const std::size_t d_head = x.dim(2);
    return {x.data() + head * d_head, x.dim(0), d_head, x.dim(1) * d_head};
}

MutableMatrixView headMatrix(Tensor& x, std::size_t head) {
    const std::size_t d_head = x.dim(2);
    return {x.data() + head * d_head, x.dim(0), d_head, x.dim(1) * d_head};
}

std::size_t blockRows(std::size_t positions) {
    constexpr std::size_t kMost = 128;
    constexpr std::size_t kLeast = 64; // fewer, and packing the keys is the work
    constexpr std::size_t kNumbers = std::size_t{1} << 18; // 1 MiB, about a core's cache
    return std::min(positions,
                    std::clamp(kNumbers / std::max<std::size_t>(positions, 1), kLeast, kMost));
}

std::size_t blockSize(std::size_t positions) {
    return blockRows(positions) * positions;
}

void computePattern(const HeadInput& head, PositionRange queries, PositionRange keys,
                    MutableMatrixView pattern, std::span<RowLse> lse) {
    const std::size_t first_row = queries.begin - head.first_query;
    computeScores(head.rule, head.q.rowRange(first_row, queries.size()), queries.begin,
                  head.k.rowRange(keys.begin, keys.size()), keys.begin, pattern);
    for (std::size_t r = 0; r < queries.size(); ++r) {
        const PositionRange visible =
            head.rule.mask.visibleKeys(queries.begin + r, head.positions());
        float* row = pattern.row(r);
        const RowLse row_lse =
            softmaxInPlace({row + visible.begin - keys.begin, visible.size()}, head.rule.sink);
        if (!lse.empty())
            lse[first_row + r] = row_lse;
        fillHidden({row, keys.size()}, visible, keys.begin, 0.0f);
    }
}

void attend(const HeadInput& head, MutableMatrixView z, std::span<RowLse> lse,
            std::span<float> block, std::span<PatternObserver* const> observers,
            const std::stop_token& stop) {
    const PositionRange all = head.queries();
    const std::size_t rows = blockRows(head.positions());
    for (std::size_t begin = all.begin; begin < all.end && !stop.stop_requested(); begin += rows) {
        const PositionRange queries{begin, std::min(begin + rows, all.end)};
        const PositionRange keys = head.rule.mask.visibleKeys(queries, head.positions());
        const MutableMatrixView pattern{block.data(), queries.size(), keys.size(), keys.size()};
        computePattern(head, queries, keys, pattern, lse);
        for (PatternObserver* observer : observers)
            observer->observe({head.head, queries, keys, pattern});
        if (head.v.data)
            multiply(pattern, head.v.rowRange(keys.begin, keys.size()),
                     z.rowRange(begin - all.begin, queries.size()));
    }
}

void maskedScores(const HeadInput& head, MutableMatrixView scores) {
    computeScores(head.rule, head.q, head.first_query, head.k, 0, scores);
    for (std::size_t r = 0; r < scores.rows; ++r)
        fillHidden({scores.row(r), scores.cols},
                   head.rule.mask.visibleKeys(head.first_query + r, head.positions()), 0, kMasked);
}

void softmaxRows(const ScoreRule& rule, MutableMatrixView scores, std::span<RowLse> lse) {
    for (std::size_t r = 0; r < scores.rows; ++r)
        lse[r] = softmaxInPlace({scores.row(r), scores.cols}, rule.sink);
}

} // namespace headscope
