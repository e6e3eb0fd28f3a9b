#include "core/engine/run.h"

#include "core/engine/attention.h"
#include "core/tensor/gemm.h"

#include <cassert>
#include <cmath>

namespace headscope {

Tensor Run::pattern(LayerHead head, PositionRange queries, PositionRange keys) const {
    const ModelSpec& spec = model->spec;
    const LayerAttention& layer = attention[head.layer];
    assert(queries.end <= positions() && keys.end <= positions());
    Tensor tile({queries.size(), keys.size()});
    if (!layer.edited_pattern.empty()) {
        for (std::size_t q = 0; q < queries.size(); ++q)
            for (std::size_t k = 0; k < keys.size(); ++k)
                tile(q, k) = layer.edited_pattern(head.head, queries.begin + q, keys.begin + k);
        return tile;
    }
    const MatrixView q = headMatrix(layer.q.view(), head.head);
    const MatrixView k = headMatrix(layer.k.view(), spec.kvHeadOf(head.head));
    const ScoreRule rule = scoreRule(spec, head);
    computeScores(rule, q.rowRange(queries.begin, queries.size()), queries.begin,
                  k.rowRange(keys.begin, keys.size()), keys.begin, tile.matrix());
    for (std::size_t row = 0; row < queries.size(); ++row) {
        const std::size_t query = queries.begin + row;
        const PositionRange visible = rule.visibleKeys(query, positions());
        const float lse = layer.lse(head.head, query);
        for (std::size_t column = 0; column < keys.size(); ++column) {
            float& value = tile(row, column);
            value = visible.contains(keys.begin + column) ? std::exp(value - lse) : 0.0f;
        }
    }
    return tile;
}

Tensor Run::pattern(LayerHead head) const {
    return pattern(head, {0, positions()}, {0, positions()});
}

float Run::weight(LayerHead head, std::size_t query, std::size_t key) const {
    const ModelSpec& spec = model->spec;
    const LayerAttention& layer = attention[head.layer];
    if (!layer.edited_pattern.empty())
        return layer.edited_pattern(head.head, query, key);
    const ScoreRule rule = scoreRule(spec, head);
    if (!rule.visibleKeys(query, positions()).contains(key))
        return 0.0f;
    const float* q = headMatrix(layer.q.view(), head.head).row(query);
    const float* k = headMatrix(layer.k.view(), spec.kvHeadOf(head.head)).row(key);
    float score = rule.scale * dot({q, spec.d_head}, {k, spec.d_head});
    finishScores(rule, query, key, {&score, 1, 1, 1});
    return std::exp(score - layer.lse(head.head, query));
}

} // namespace headscope
