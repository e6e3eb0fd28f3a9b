#include "core/engine/attention.h"

#include "core/tensor/activation.h"
#include "core/tensor/gemm.h"
#include "core/tensor/softmax.h"

#include <algorithm>
#include <limits>

namespace headscope {

namespace {

constexpr float kMasked = -std::numeric_limits<float>::infinity();

/// Adds slope · (key − query); row r is query first_query + r, column c is key first_key + c.
void addAlibi(float slope, std::size_t first_query, std::size_t first_key,
              MutableMatrixView scores) {
    for (std::size_t r = 0; r < scores.rows; ++r) {
        float* row = scores.row(r);
        const float offset = static_cast<float>(first_key) - static_cast<float>(first_query + r);
        for (std::size_t c = 0; c < scores.cols; ++c)
            row[c] += slope * (offset + static_cast<float>(c));
    }
}

/// Sets the columns outside `visible` to `value`; column 0 is key `first_key`.
void fillHidden(std::span<float> row, PositionRange visible, std::size_t first_key, float value) {
    std::ranges::fill(row.first(visible.begin - first_key), value);
    std::ranges::fill(row.subspan(visible.end - first_key), value);
}

} // namespace

PositionRange ScoreRule::visibleKeys(std::size_t query, std::size_t positions) const {
    if (!causal) {
        const std::size_t reach = window == 0 ? positions : window / 2; // to both sides
        return {query - std::min(query, reach), std::min(query + reach + 1, positions)};
    }
    const std::size_t end = query + 1;
    return {window == 0 || window > end ? 0 : end - window, end};
}

PositionRange ScoreRule::visibleKeys(PositionRange queries, std::size_t positions) const {
    return {visibleKeys(queries.begin, positions).begin,
            visibleKeys(queries.end - 1, positions).end};
}

ScoreRule scoreRule(const ModelSpec& spec, LayerHead head) {
    ScoreRule rule;
    rule.scale = static_cast<float>(spec.attention_scale[head.layer]);
    rule.softcap = static_cast<float>(spec.attention_softcap);
    if (spec.positions == PositionKind::Alibi)
        rule.alibi_slope = static_cast<float>(spec.alibi_slopes[head.head]);
    rule.causal = spec.causal;
    rule.window = spec.window(head.layer);
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
    if (rule.alibi_slope != 0.0f)
        addAlibi(rule.alibi_slope, first_query, first_key, scores);
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
        const PositionRange visible = head.rule.visibleKeys(queries.begin + r, head.positions());
        float* row = pattern.row(r);
        const RowLse row_lse = softmaxInPlace({row + visible.begin - keys.begin, visible.size()});
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
        const PositionRange keys = head.rule.visibleKeys(queries, head.positions());
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
                   head.rule.visibleKeys(head.first_query + r, head.positions()), 0, kMasked);
}

void softmaxRows(MutableMatrixView scores, std::span<RowLse> lse) {
    for (std::size_t r = 0; r < scores.rows; ++r)
        lse[r] = softmaxInPlace({scores.row(r), scores.cols});
}

} // namespace headscope
