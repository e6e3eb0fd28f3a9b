#include "core/engine/backward/attention_backward.h"

#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"

#include <algorithm>

namespace headscope {

namespace {

/// d_P → d_scores = P ∘ (d_P − Σ_k P d_P), in place; that sum is d_z · z.
void softmaxBackward(MatrixView pattern, MatrixView z, MatrixView d_z, MutableMatrixView d) {
    for (std::size_t r = 0; r < d.rows; ++r) {
        const float mean = dot({d_z.row(r), d_z.cols}, {z.row(r), z.cols});
        const float* weight = pattern.row(r);
        float* gradient = d.row(r);
        for (std::size_t c = 0; c < d.cols; ++c)
            gradient[c] = weight[c] * (gradient[c] - mean);
    }
}

/// d_scores → d (q·k), in place. `raw` receives the scores before the soft-cap.
void scoresBackward(const ScoreRule& rule, MatrixView q, MatrixView k, MutableMatrixView raw,
                    MutableMatrixView d) {
    if (rule.softcap != 0.0f) {
        multiplyTransposed(rule.scale, q, k, raw);
        for (std::size_t r = 0; r < d.rows; ++r)
            softCapBackward(rule.softcap, {raw.row(r), raw.cols}, {d.row(r), d.cols});
    }
    for (std::size_t r = 0; r < d.rows; ++r)
        for (std::size_t c = 0; c < d.cols; ++c)
            d(r, c) *= rule.scale;
}

} // namespace

void attendBackward(const HeadInput& head, MatrixView z, MatrixView d_z,
                    const HeadGradient& gradient, std::span<float> blocks,
                    const std::stop_token& stop) {
    const std::size_t positions = head.positions();
    const std::size_t rows = blockRows(positions);
    for (std::size_t begin = 0; begin < positions && !stop.stop_requested(); begin += rows) {
        const PositionRange queries{begin, std::min(begin + rows, positions)};
        const PositionRange keys = head.rule.mask.visibleKeys(queries, positions);
        const auto ofQueries = [&](auto x) { return x.rowRange(queries.begin, queries.size()); };
        const auto ofKeys = [&](auto x) { return x.rowRange(keys.begin, keys.size()); };
        const MutableMatrixView pattern{blocks.data(), queries.size(), keys.size(), keys.size()};
        const MutableMatrixView d{blocks.data() + blockSize(positions), queries.size(), keys.size(),
                                  keys.size()};

        computePattern(head, queries, keys, pattern);
        transposedMultiplyAdd(pattern, ofQueries(d_z), ofKeys(gradient.d_v));
        multiplyTransposed(1.0f, ofQueries(d_z), ofKeys(head.v), d);
        softmaxBackward(pattern, ofQueries(z), ofQueries(d_z), d);
        if (gradient.d_scores.data)
            addInto(ofQueries(gradient.d_scores).colRange(keys.begin, keys.size()), d);
        scoresBackward(head.rule, ofQueries(head.q), ofKeys(head.k), pattern, d);
        multiply(d, ofKeys(head.k), ofQueries(gradient.d_q));
        transposedMultiplyAdd(d, ofQueries(head.q), ofKeys(gradient.d_k));
    }
}

void scoreRowBackward(const HeadInput& head, std::size_t query, std::span<float> d_scores,
                      const HeadGradient& gradient) {
    const PositionRange keys = head.rule.mask.visibleKeys(query, head.positions());
    const MatrixView q = head.q.rowRange(query, 1);
    const MatrixView k = head.k.rowRange(keys.begin, keys.size());
    const MutableMatrixView d{d_scores.data(), 1, keys.size(), keys.size()};
    Tensor raw({1, keys.size()});
    scoresBackward(head.rule, q, k, raw.matrix(), d);
    multiplyAdd(d, k, gradient.d_q.rowRange(query, 1));
    transposedMultiplyAdd(d, q, gradient.d_k.rowRange(keys.begin, keys.size()));
}

} // namespace headscope
