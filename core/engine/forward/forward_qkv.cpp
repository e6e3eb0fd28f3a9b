#include "core/engine/forward/forward.h"
#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

/// Whether a hook looks at what single heads read.
bool Forward::splitsInputs(std::size_t layer) const {
    constexpr std::array inputs{HookKind::AttnIn, HookKind::QInput, HookKind::KInput,
                                HookKind::VInput};
    return wantsAny(inputs, layer);
}

void Forward::projectQkv(std::size_t layer) {
    if (splitsInputs(layer))
        return projectSplitInputs(layer);
    if (spec_.positions == PositionKind::Shortformer)
        return projectQkvWithPositions(layer);
    if (spec_.latent)
        return projectThroughLatents(layer);
    const AttentionWeights& weights = weights_.layers[layer].attn;
    project(rows(input_), weights.W_QKV.matrix(), weights.b_QKV.values(), qkv(layer));
}

/// Values of what attention reads, then queries and keys of that with its positions added.
void Forward::projectQkvWithPositions(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const auto projectColumns = [&](std::size_t first, std::size_t count) {
        const std::span<const float> bias = weights.b_QKV.values();
        project(rows(input_), weights.W_QKV.matrix().colRange(first, count),
                bias.empty() ? bias : bias.subspan(first, count),
                qkv(layer).colRange(first, count));
    };
    const std::size_t first_value = spec_.queryWidth(layer) + spec_.keyWidth(layer);
    projectColumns(first_value, spec_.valueWidth(layer));
    addInto(rows(input_), positions_.matrix());
    projectColumns(0, first_value);
}

/// The same with one copy of the residual stream per head, so that what a single head reads as
/// query, key or value can be observed and edited.
void Forward::projectSplitInputs(std::size_t layer) {
    const std::size_t n_heads = spec_.headsIn(layer);
    const std::size_t d_model = spec_.d_model;
    if (spec_.latent)
        refuseLatentHooks(layer);
    Tensor attn_in({rows_, n_heads, d_model});
    for (std::size_t t = 0; t < rows_; ++t)
        for (std::size_t head = 0; head < n_heads; ++head)
            std::copy_n(residual_.matrix().row(t), d_model, &attn_in(t, head, 0u));
    fire({HookKind::AttnIn, layer}, {attn_in.data(), rows_, n_heads * d_model, n_heads * d_model},
         n_heads);

    std::vector<std::size_t> query_heads(n_heads);
    std::iota(query_heads.begin(), query_heads.end(), std::size_t{0});
    // A KV head reads what the first head of its group reads.
    const std::vector<std::size_t> first_heads = spec_.firstReaders(layer);
    projectInputs({HookKind::QInput, layer}, attn_in, query_heads, queries(layer));
    projectInputs({HookKind::KInput, layer}, attn_in, first_heads, keys(layer));
    projectInputs({HookKind::VInput, layer}, attn_in, first_heads, values(layer));
    addBias(qkv(layer), weights_.layers[layer].attn.b_QKV.values());
}

/// Projects the inputs of the heads at some places of attn_in [T, head, d_model] to the columns
/// `out` of the fused projection.
void Forward::projectInputs(HookPoint point, const Tensor& attn_in,
                            std::span<const std::size_t> heads, MutableMatrixView out) {
    const BlockStep* const norm = plans_[point.layer].norm(Branch::Attention, BlockValue::Input);
    const std::size_t width = heads.size() * spec_.d_model;
    Tensor input({rows_, heads.size(), spec_.d_model});
    for (std::size_t t = 0; t < rows_; ++t)
        for (std::size_t i = 0; i < heads.size(); ++i)
            std::copy_n(headMatrix(attn_in, heads[i]).row(t), spec_.d_model, &input(t, i, 0u));
    fire(point, {input.data(), rows_, width, width}, heads.size());
    if (norm)
        normalise(*norm, point.layer, input.matrix(), heads.size());
    if (spec_.positions == PositionKind::Shortformer && point.kind != HookKind::VInput)
        for (std::size_t i = 0; i < heads.size(); ++i)
            addInto(headMatrix(input, i), positions_.matrix());
    if (spec_.latent) {
        for (std::size_t i = 0; i < heads.size(); ++i)
            projectOfHead(point, i, headMatrix(std::as_const(input), i), out);
        return;
    }
    const auto first_column = static_cast<std::size_t>(out.data - qkv_.data());
    const WeightMatrix W_QKV = weights_.layers[point.layer].attn.W_QKV.matrix();
    const std::size_t d_head = out.cols / heads.size(); // of values it may be another
    for (std::size_t i = 0; i < heads.size(); ++i)
        multiply(headMatrix(std::as_const(input), i),
                 W_QKV.colRange(first_column + i * d_head, d_head),
                 out.colRange(i * d_head, d_head));
}

void Forward::normaliseQueriesAndKeys(std::size_t layer) {
    if (spec_.qk_norm == QkNorm::None)
        return;
    const AttentionWeights& weights = weights_.layers[layer].attn;
    normaliseHeads(weights.q_norm,
                   {{HookKind::QNormScale, layer},
                    {HookKind::QNormNormalized, layer},
                    {HookKind::QNormOut, layer}},
                   queries(layer));
    normaliseHeads(weights.k_norm,
                   {{HookKind::KNormScale, layer},
                    {HookKind::KNormNormalized, layer},
                    {HookKind::KNormOut, layer}},
                   keys(layer));
    clip(queries(layer));
    clip(keys(layer));
}

/// In place, with ModelSpec::qkv_clip.
void Forward::clip(MutableMatrixView heads) const {
    if (spec_.qkv_clip == 0.0)
        return;
    const auto limit = static_cast<float>(spec_.qkv_clip);
    parallelRows(heads.rows, heads.cols, [&](RowRange range) {
        for (std::size_t t = range.begin; t < range.begin + range.count; ++t)
            for (float& value : std::span(heads.row(t), heads.cols))
                value = std::clamp(value, -limit, limit);
    });
}

/// In place; the columns of `heads` are those of all heads inside the fused projection.
void Forward::normaliseHeads(const NormWeights& weights, NormPoints points,
                             MutableMatrixView heads) {
    const std::size_t width = heads.cols;
    const MutableMatrixView dense{dense_heads_.data(), rows_, width, width};
    const auto copyAll = [&](MatrixView from, MutableMatrixView to) {
        parallelRows(rows_, width, [&](RowRange range) {
            for (std::size_t t = range.begin; t < range.begin + range.count; ++t)
                std::copy_n(from.row(t), width, to.row(t));
        });
    };
    copyAll(heads, dense);
    if (spec_.qk_norm == QkNorm::PerHead) {
        const std::size_t n_heads = width / spec_.d_head;
        normalise(spec_.norm, weights, points,
                  {dense.data, rows_ * n_heads, spec_.d_head, spec_.d_head}, n_heads);
    } else {
        normalise(spec_.norm, weights, points, dense);
    }
    copyAll(dense, heads);
}

void Forward::rotate(std::size_t layer) {
    if (!spec_.rotaryIn(layer))
        return;
    for (const PackedPrompt& prompt : prompts_) {
        const bool windowed = prompt.rotary->window && spec_.window(layer) != 0;
        const RotaryTable& table = windowed ? *prompt.rotary->window : *prompt.rotary->all;
        parallelRows(prompt.rows.size(), spec_.qkvWidth(layer), [&](RowRange range) {
            const std::size_t begin = prompt.rows.begin + range.begin;
            const MutableMatrixView turned = queries(layer).rowRange(begin, range.count);
            applyRotary(table, spec_.headsIn(layer), range.begin, turned);
            growQueries(spec_, prompt.firstPosition() + range.begin, turned);
            applyRotary(table, spec_.kvHeadsIn(layer), range.begin,
                        keys(layer).rowRange(begin, range.count));
        });
    }
    fire({HookKind::RotQ, layer}, queries(layer), spec_.headsIn(layer));
    fire({HookKind::RotK, layer}, keys(layer), spec_.kvHeadsIn(layer));
}

/// Those of a known start were seen by its run, too, and are shown as they were then: no hook edits
/// them.
void Forward::fireValues(std::size_t layer) {
    const HookPoint point{HookKind::V, layer};
    const std::size_t n_heads = spec_.kvHeadsIn(layer);
    const std::size_t width = spec_.valueWidth(layer);
    for (PackedPrompt& prompt : prompts_) {
        if (!prompt.startIsKnown())
            fire(prompt, point, values(layer).rowRange(prompt.rows.begin, prompt.rows.size()),
                 n_heads);
        if (request_.keep_attention && request_.keep_values)
            keep(prompt, values(layer), &LayerAttention::v, layer);
        if (prompt.startIsKnown())
            fire(prompt, point,
                 {prompt.run->attention[layer].v.data(), prompt.positions(), width, width},
                 n_heads);
    }
}

/// [T, columns of W_QKV]
MutableMatrixView Forward::qkv(std::size_t layer) {
    return {qkv_.data(), rows_, spec_.qkvWidth(layer), spec_.qkvWidth(layer)};
}
MutableMatrixView Forward::queries(std::size_t layer) {
    return qkv(layer).colRange(0, spec_.queryWidth(layer));
}
MutableMatrixView Forward::keys(std::size_t layer) {
    return qkv(layer).colRange(spec_.queryWidth(layer), spec_.keyWidth(layer));
}
MutableMatrixView Forward::values(std::size_t layer) {
    return qkv(layer).colRange(spec_.queryWidth(layer) + spec_.keyWidth(layer),
                               spec_.valueWidth(layer));
}

} // namespace headscope
