#include "core/engine/backward/backward_attention.h"

#include "core/engine/backward/backward_pass.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

namespace {

constexpr std::array kSplitInputs{HookKind::AttnIn, HookKind::QInput, HookKind::KInput,
                                  HookKind::VInput};

/// d entry / d score [1, key] of the keys that its query sees.
Tensor scoreSlopes(const HeadInput& head, const AttentionEntry& entry) {
    const PositionRange keys = head.rule.mask.visibleKeys(entry.query, head.positions());
    const std::size_t key = entry.key - keys.begin;
    Tensor slopes({1, keys.size()});
    if (!entry.score) {
        computePattern(head, {entry.query, entry.query + 1}, keys, slopes.matrix());
        const float weight = slopes(0, key);
        for (float& slope : slopes.values())
            slope *= -weight;
        slopes(0, key) += weight;
        return slopes;
    }
    slopes(0, key) = 1.0f;
    return slopes;
}

} // namespace

/// d_out_ → d_attn_in_. out = concat_h(softmax(scores(q_h, k_h) + mask) v_h) · W_O + b_O
void Backward::attention(std::size_t layer) {
    shapeFor(layer);
    if (spec_.headsIn(layer) == 0)
        return attentionWithoutHeads(layer);
    projectOut(layer);
    fire({HookKind::Z, layer}, zRows(), spec_.headsIn(layer));
    gates(layer);
    mixHeads(layer);
    projectIn(layer);
}

/// One number of one head → d_attn_in_; nothing else of its layer has a gradient.
void Backward::attentionEntry(const AttentionEntry& entry) {
    const std::size_t layer = entry.head.layer;
    const std::size_t place = spec_.headPlace(entry.head);
    shapeFor(layer);
    std::ranges::fill(d_qkv_.values(), 0.0f);
    HeadGradient gradient;
    gradient.d_q = queries(layer).colRange(place * spec_.d_head, spec_.d_head);
    gradient.d_k = keys(layer).colRange(spec_.kvPlace(entry.head) * spec_.d_head, spec_.d_head);
    const HeadInput input = headInput(entry.head);
    Tensor d_scores = scoreSlopes(input, entry);
    scoreRowBackward(input, entry.query, d_scores.values(), gradient);
    projectIn(layer);
}

/// d_qkv_ → d_attn_in_
void Backward::projectIn(std::size_t layer) {
    if (!spec_.qk_norm_after_rotary)
        rotate(layer);
    normaliseQueriesAndKeys(layer);
    if (spec_.qk_norm_after_rotary)
        rotate(layer);
    fire({HookKind::V, layer}, values(layer), spec_.kvHeadsIn(layer));
    fire({HookKind::K, layer}, keys(layer), spec_.kvHeadsIn(layer));
    fire({HookKind::Q, layer}, queries(layer), spec_.headsIn(layer));
    unclip(HookKind::V, layer, values(layer));
    if (spec_.qk_norm == QkNorm::None) {
        unclip(HookKind::Q, layer, queries(layer));
        unclip(HookKind::K, layer, keys(layer));
    }
    if (spec_.latent)
        return latents(layer);
    project(d_qkv_.matrix(), weights_.layers[layer].attn.W_QKV, d_attn_in_.matrix());
    if (!d_positions_.empty())
        addToPositions(layer);
}

/// 0 where ModelSpec::qkv_clip held the value back that the forward pass had at the hook.
void Backward::unclip(HookKind kind, std::size_t layer, MutableMatrixView d) const {
    if (spec_.qkv_clip == 0.0)
        return;
    const auto limit = static_cast<float>(spec_.qkv_clip);
    const MatrixView x{value(kind, layer).data(), positions_, d.cols, d.cols};
    for (std::size_t t = 0; t < positions_; ++t)
        for (std::size_t i = 0; i < d.cols; ++i)
            if (std::abs(x(t, i)) >= limit)
                d(t, i) = 0.0f;
}

/// Adds to the gradient of positions that only the queries and keys of every layer read.
void Backward::addToPositions(std::size_t layer) {
    const std::size_t width = spec_.queryWidth(layer) + spec_.keyWidth(layer);
    multiplyTransposedAdd(d_qkv_.matrix().colRange(0, width),
                          weights_.layers[layer].attn.W_QKV.matrix().colRange(0, width),
                          d_positions_.matrix());
}

/// Nothing is read in a layer whose heads were all removed.
void Backward::attentionWithoutHeads(std::size_t layer) {
    std::ranges::fill(d_attn_in_.values(), 0.0f);
    for (const HookPoint point : hookPoints(spec_))
        if (point.layer == layer && headAxis(spec_, point.kind) && hooks_.wants(point) &&
            std::ranges::find(kSplitInputs, point.kind) == kSplitInputs.end())
            hooks_.fire(point, Tensor(hookShape(spec_, point, positions_)).view());
}

/// d_out_ → d_z_
void Backward::projectOut(std::size_t layer) {
    const LayerWeights& weights = weights_.layers[layer];
    if (hooks_.wants({HookKind::Result, layer})) {
        Tensor d_result({positions_, spec_.headsIn(layer), spec_.d_model});
        for (std::size_t head = 0; head < spec_.headsIn(layer); ++head)
            addInto(headMatrix(d_result, head), d_out_.matrix());
        hooks_.fire({HookKind::Result, layer}, d_result.view());
    }
    project(d_out_.matrix(), weights.attn.W_O, zRows());
}

/// [T, d_model], before the norm of what the branch adds.
Tensor Backward::attentionOutput(std::size_t layer) const {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const Tensor& z = value(HookKind::Z, layer);
    Tensor out({positions_, spec_.d_model});
    const std::size_t width = spec_.zWidth(layer);
    multiply({z.data(), positions_, width, width}, weights.W_O.matrix(), out.matrix());
    addBias(out.matrix(), weights.b_O.values());
    return out;
}

void Backward::rotate(std::size_t layer) {
    if (!spec_.rotaryIn(layer))
        return;
    fire({HookKind::RotK, layer}, keys(layer), spec_.kvHeadsIn(layer));
    fire({HookKind::RotQ, layer}, queries(layer), spec_.headsIn(layer));
    const bool windowed = window_rotary_ && spec_.window(layer) != 0;
    const RotaryTable& table = windowed ? *window_rotary_ : *rotary_;
    parallelRows(positions_, spec_.qkvWidth(layer), [&](RowRange range) {
        const MutableMatrixView turned = queries(layer).rowRange(range.begin, range.count);
        growQueries(spec_, range.begin, turned);
        applyRotary(table, spec_.headsIn(layer), range.begin, turned);
        applyRotary(table, spec_.kvHeadsIn(layer), range.begin,
                    keys(layer).rowRange(range.begin, range.count));
    });
}

void Backward::normaliseQueriesAndKeys(std::size_t layer) {
    if (spec_.qk_norm == QkNorm::None)
        return;
    unclip(HookKind::KNormOut, layer, keys(layer));
    unclip(HookKind::QNormOut, layer, queries(layer));
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const bool turned = spec_.qk_norm_after_rotary && spec_.rotaryIn(layer);
    normaliseHeads(weights.k_norm,
                   {{HookKind::KNormScale, layer},
                    {HookKind::KNormNormalized, layer},
                    {HookKind::KNormOut, layer}},
                   value(turned ? HookKind::RotK : HookKind::K, layer), keys(layer));
    normaliseHeads(weights.q_norm,
                   {{HookKind::QNormScale, layer},
                    {HookKind::QNormNormalized, layer},
                    {HookKind::QNormOut, layer}},
                   value(turned ? HookKind::RotQ : HookKind::Q, layer), queries(layer));
}

/// In place. x [T, head, d_head]; the columns of d are those of all heads inside d_qkv_.
void Backward::normaliseHeads(const NormWeights& weights, NormPoints points, const Tensor& x,
                              MutableMatrixView d) {
    Tensor dense = copyOf({d.data, {d.rows, d.cols}, {d.stride, 1}});
    if (spec_.qk_norm == QkNorm::PerHead)
        normalise(spec_.norm, weights, points, x.matrix(),
                  {dense.data(), positions_ * x.dim(1), spec_.d_head, spec_.d_head}, x.dim(1));
    else
        normalise(spec_.norm, weights, points, {x.data(), positions_, d.cols, d.cols},
                  dense.matrix());
    for (std::size_t t = 0; t < positions_; ++t)
        std::copy_n(dense.matrix().row(t), d.cols, d.row(t));
}

/// The gradients of the copies of the residual stream that each head reads as query, key or value,
/// for hooks that ask for one of them.
void Backward::splitInputs(std::size_t layer) {
    if (!hooks_.wantsAny(kSplitInputs, layer))
        return;
    const std::size_t n_heads = spec_.headsIn(layer);
    std::vector<std::size_t> query_heads(n_heads);
    std::iota(query_heads.begin(), query_heads.end(), std::size_t{0});
    // A KV head reads what the first head of its group reads.
    const std::vector<std::size_t> first_heads = spec_.firstReaders(layer);
    Tensor d_attn_in({positions_, n_heads, spec_.d_model});
    splitInput({HookKind::VInput, layer}, values(layer), first_heads, d_attn_in);
    splitInput({HookKind::KInput, layer}, keys(layer), first_heads, d_attn_in);
    splitInput({HookKind::QInput, layer}, queries(layer), query_heads, d_attn_in);
    hooks_.fire({HookKind::AttnIn, layer}, d_attn_in.view());
}

/// `d` are columns of d_qkv_, those of one input for each of the places, to whose part of
/// d_attn_in [T, head, d_model] they are added.
void Backward::splitInput(HookPoint point, MatrixView d, std::span<const std::size_t> heads,
                          Tensor& d_attn_in) {
    const LayerWeights& weights = weights_.layers[point.layer];
    const BlockStep* const norm = plans_[point.layer].norm(Branch::Attention, BlockValue::Input);
    const Tensor x = norm ? normInput(*norm, point.layer) : Tensor();
    const auto first_column = static_cast<std::size_t>(d.data - d_qkv_.data());
    Tensor d_input({positions_, heads.size(), spec_.d_model});
    // Of values it may be another; a layer may have no heads.
    const std::size_t d_head = d.cols / std::max<std::size_t>(1, heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i) {
        const MutableMatrixView d_of_head = headMatrix(d_input, i);
        const MatrixView d_head_only = d.colRange(i * d_head, d_head);
        if (spec_.latent)
            splitThroughLatent(point, i, d_head_only, d_of_head);
        else
            multiplyTransposed(
                1.0f, d_head_only,
                weights.attn.W_QKV.matrix().colRange(first_column + i * d_head, d_head), d_of_head);
        if (norm)
            normalise(spec_.norm, weights.*norm->norm, {}, x.matrix(), d_of_head);
        addInto(headMatrix(d_attn_in, heads[i]), d_of_head);
    }
    hooks_.fire(point, d_input.view());
}

/// Gradients of what attention of this layer computes.
void Backward::shapeFor(std::size_t layer) {
    if (d_z_.dim(1) == spec_.headsIn(layer) && d_qkv_.dim(1) == spec_.qkvWidth(layer))
        return;
    d_z_ = Tensor({positions_, spec_.headsIn(layer), spec_.valueDim()});
    d_qkv_ = Tensor({positions_, spec_.qkvWidth(layer)});
}

/// [T, n_heads·d_head_v]
MutableMatrixView Backward::zRows() {
    const std::size_t width = d_z_.dim(1) * d_z_.dim(2);
    return {d_z_.data(), positions_, width, width};
}

MutableMatrixView Backward::queries(std::size_t layer) {
    return d_qkv_.matrix().colRange(0, spec_.queryWidth(layer));
}
MutableMatrixView Backward::keys(std::size_t layer) {
    return d_qkv_.matrix().colRange(spec_.queryWidth(layer), spec_.keyWidth(layer));
}
MutableMatrixView Backward::values(std::size_t layer) {
    return d_qkv_.matrix().colRange(spec_.queryWidth(layer) + spec_.keyWidth(layer),
                                    spec_.valueWidth(layer));
}

/// d ξ = Σ d_z · z over positions and d_head_v, of ξ · z.
void Backward::gates(std::size_t layer) {
    const Tensor& z = value(HookKind::Z, layer);
    for (std::size_t place = 0; place < spec_.headsIn(layer); ++place) {
        const MatrixView z_head = headMatrix(z, place);
        const MatrixView d_z_head = headMatrix(d_z_, place);
        double sum = 0.0;
        for (std::size_t t = 0; t < positions_; ++t)
            for (std::size_t d = 0; d < spec_.valueDim(); ++d)
                sum += static_cast<double>(d_z_head(t, d)) * z_head(t, d);
        gates_[spec_.headAt(layer, place)] = static_cast<float>(sum);
    }
}

/// d_z_ → d_qkv_. The heads of a KV group add to the same keys and values and are one thread's
/// work, so that the order of the sum is always the same.
void Backward::mixHeads(std::size_t layer) {
    const HookPoint scores{HookKind::AttnScores, layer};
    const HookPoint pattern{HookKind::Pattern, layer};
    if (hooks_.wants(pattern))
        hooks_.fire(pattern, patternGradient(layer).view());
    Tensor d_scores;
    if (hooks_.wants(scores))
        d_scores = Tensor({spec_.headsIn(layer), positions_, positions_});
    std::ranges::fill(d_qkv_.values(), 0.0f);
    parallelFor(spec_.kvHeadsIn(layer), [&](std::size_t kv_place, std::size_t thread) {
        mixGroup(layer, kv_place, {blocks_.matrix().row(thread), blocks_.dim(1)}, d_scores);
    });
    if (!d_scores.empty())
        hooks_.fire(scores, d_scores.view());
}

/// d_scores [head, query, key] is empty when nobody asked for it.
void Backward::mixGroup(std::size_t layer, std::size_t kv_place, std::span<float> blocks,
                        Tensor& d_scores) {
    const std::size_t d_head = spec_.d_head;
    const std::size_t d_head_v = spec_.valueDim();
    const LayerHead first = spec_.headAt(layer, spec_.firstReaders(layer)[kv_place]);
    for (const LayerHead head : spec_.groupOf(first)) {
        const std::size_t place = spec_.headPlace(head);
        HeadGradient gradient;
        gradient.d_q = queries(layer).colRange(place * d_head, d_head);
        gradient.d_k = keys(layer).colRange(kv_place * d_head, d_head);
        gradient.d_v = values(layer).colRange(kv_place * d_head_v, d_head_v);
        if (!d_scores.empty())
            gradient.d_scores = d_scores.matrix().rowRange(place * positions_, positions_);
        attendBackward(headInput(head), headMatrix(value(HookKind::Z, layer), place),
                       headMatrix(d_z_, place), gradient, blocks, stop_);
    }
}

/// d_P = d_z vᵀ [head, query, key]; hidden entries too, where P is 0 but an editor could change it.
Tensor Backward::patternGradient(std::size_t layer) {
    Tensor d_pattern({spec_.headsIn(layer), positions_, positions_});
    for (std::size_t place = 0; place < spec_.headsIn(layer); ++place)
        multiplyTransposed(1.0f, headMatrix(d_z_, place), headInput(spec_.headAt(layer, place)).v,
                           d_pattern.matrix().rowRange(place * positions_, positions_));
    return d_pattern;
}

HeadInput Backward::headInput(LayerHead head) const {
    const LayerAttention& attention = run_.attention[head.layer];
    const std::size_t kv_place = spec_.kvPlace(head);
    return {head, headMatrix(attention.q, spec_.headPlace(head)), headMatrix(attention.k, kv_place),
            headMatrix(value(HookKind::V, head.layer), kv_place), scoreRule(spec_, weights_, head)};
}

} // namespace headscope
