#include "core/engine/forward/forward.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace headscope {

/// out = concat_h(softmax(scores(q_h, k_h) + mask) v_h) · W_O + b_O
void Forward::attention(std::size_t layer) {
    if (spec_.headsIn(layer) == 0)
        return attendWithoutHeads(layer);
    if (startsAtZ(layer)) {
        takeGivenZ(layer);
    } else {
        projectQkv(layer);
        fire({HookKind::Q, layer}, queries(layer), spec_.headsIn(layer));
        fire({HookKind::K, layer}, keys(layer), spec_.kvHeadsIn(layer));
        fireValues(layer);
        normaliseQueriesAndKeys(layer);
        rotate(layer);
        mixHeads(layer);
    }
    if (zIsRead(layer))
        fireZ(layer);
    if (endsAfterPatterns(layer))
        return;
    if (layer + 1 == spec_.n_layers && !readsPastLastZ())
        keepWantedRows();
    projectOut(layer);
}

/// out = b_O in a layer whose heads were all removed. Hooks see values of no heads.
void Forward::attendWithoutHeads(std::size_t layer) {
    for (const HookPoint point : hookPoints(spec_))
        if (point.layer == layer && headAxis(spec_, point.kind))
            for (PackedPrompt& prompt : prompts_) {
                const Shape shape = hookShape(spec_, point, prompt.positions());
                if (prompt.hooks.wants(point))
                    prompt.hooks.fire(point, {nullptr, shape, contiguousStrides(shape)});
            }
    if (endsAfterAttention(layer))
        return;
    if (layer + 1 == spec_.n_layers && !readsPastLastZ())
        keepWantedRows();
    std::ranges::fill(out_.values(), 0.0f);
    addBias(rows(out_), weights_.layers[layer].attn.b_O.values());
}

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
    const auto first_column = static_cast<std::size_t>(out.data - qkv_.data());
    const MatrixView W_QKV = weights_.layers[point.layer].attn.W_QKV.matrix();
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
            applyRotary(table, spec_.headsIn(layer), range.begin,
                        queries(layer).rowRange(begin, range.count));
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

/// Behind a known start only its last rows go on.
void Forward::fireZ(std::size_t layer) {
    for (PackedPrompt& prompt : prompts_) {
        const MutableMatrixView z = zOf(prompt, layer);
        fire(prompt, {HookKind::Z, layer}, z, spec_.headsIn(layer));
        if (prompt.startIsKnown())
            std::copy_n(z.row(prompt.item->known.positions), prompt.rows.size() * z.cols,
                        zRows(layer).row(prompt.rows.begin));
    }
}

/// z of the first layer as the prompts brought it along.
void Forward::takeGivenZ(std::size_t layer) {
    for (const PackedPrompt& prompt : prompts_)
        std::ranges::copy(prompt.item->z->values(), zRows(layer).row(prompt.rows.begin));
}

void Forward::projectOut(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    if (wants({HookKind::Result, layer}))
        projectHeadResults(layer);
    else
        project(zRows(layer), weights.W_O.matrix(), weights.b_O.values(), rows(out_));
}

/// The same with what each head adds for itself in memory.
void Forward::projectHeadResults(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const std::size_t n_heads = spec_.headsIn(layer);
    const std::size_t width = n_heads * spec_.d_model;
    Tensor result({rows_, n_heads, spec_.d_model});
    const std::size_t d_head_v = spec_.valueDim();
    for (std::size_t head = 0; head < n_heads; ++head)
        multiply(zRows(layer).colRange(head * d_head_v, d_head_v),
                 weights.W_O.matrix().rowRange(head * d_head_v, d_head_v),
                 headMatrix(result, head));
    fire({HookKind::Result, layer}, {result.data(), rows_, width, width}, n_heads);
    std::ranges::fill(out_.values(), 0.0f);
    for (std::size_t head = 0; head < n_heads; ++head)
        addInto(rows(out_), headMatrix(std::as_const(result), head));
    addBias(rows(out_), weights.b_O.values());
}

/// [T, n_heads·d_head_v]
MutableMatrixView Forward::zRows(std::size_t layer) {
    return {z_.data(), rows_, spec_.zWidth(layer), spec_.zWidth(layer)};
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

/// z of all heads. Heads are spread over threads, each working on rows that stay in its cache.
void Forward::mixHeads(std::size_t layer) {
    for (PackedPrompt& prompt : prompts_) {
        if (request_.keep_attention)
            keepQueriesAndKeys(prompt, layer);
        if (prompt.item->earlier)
            addToEarlier(prompt, layer);
        if (hooked_)
            prompt.materialised = prompt.hooks.patternHeads(layer);
        if (!prompt.materialised.empty() && prompt.item->earlier)
            refusal_ = Error{ErrorCode::InvalidArgument,
                             "A hook looks at patterns of a prompt that goes on behind earlier "
                             "tokens; run the whole text."};
        else if (!prompt.materialised.empty())
            mixMaterialised(prompt, layer);
    }
    const std::size_t n_heads = spec_.headsIn(layer);
    parallelFor(prompts_.size() * n_heads, [&](std::size_t index, std::size_t thread) {
        PackedPrompt& prompt = prompts_[index / n_heads];
        const std::size_t place = index % n_heads;
        const auto& materialised = prompt.materialised;
        if (std::ranges::find(materialised, place) != materialised.end())
            return;
        const LayerHead head = spec_.headAt(layer, place);
        attend(headInput(prompt, head), zOf(prompt, head), lseOf(prompt, layer, place),
               {blocks_.matrix().row(thread), blocks_.dim(1)}, prompt.item->observers, stop_);
    });
    // Scores that overflow may be all that shows it when nobody reads z.
    for (std::size_t place = 0; place < n_heads && !stop_.stop_requested(); ++place)
        for (const PackedPrompt& prompt : prompts_)
            finite_ = finite_ && std::ranges::all_of(lseOf(prompt, layer, place), [](RowLse lse) {
                          return std::isfinite(lse.value());
                      });
}

/// The same with scores and patterns of some heads in memory, because a hook wants them.
void Forward::mixMaterialised(PackedPrompt& prompt, std::size_t layer) {
    const std::size_t positions = prompt.positions();
    const auto& places = prompt.materialised;
    Tensor pattern({places.size(), positions, positions});
    const auto ofHead = [&](std::size_t i) {
        return pattern.matrix().rowRange(i * positions, positions);
    };
    for (std::size_t i = 0; i < places.size(); ++i)
        maskedScores(headInput(prompt, spec_.headAt(layer, places[i])), ofHead(i));
    prompt.hooks.fireHeads({HookKind::AttnScores, layer}, pattern.view(), places);
    for (std::size_t i = 0; i < places.size(); ++i)
        softmaxRows(ofHead(i), lseOf(prompt, layer, places[i]));
    prompt.hooks.fireHeads({HookKind::Pattern, layer}, pattern.view(), places);
    for (std::size_t i = 0; i < places.size(); ++i) {
        const LayerHead head = spec_.headAt(layer, places[i]);
        const PositionRange all{0, positions};
        for (PatternObserver* observer : prompt.item->observers)
            observer->observe({head, all, all, ofHead(i)});
        if (const MatrixView v = headInput(prompt, head).v; v.data)
            multiply(ofHead(i), v, zOf(prompt, head));
    }
    const bool edited = prompt.hooks.edits({HookKind::AttnScores, layer}) ||
                        prompt.hooks.edits({HookKind::Pattern, layer});
    if (request_.keep_attention && edited)
        prompt.run->attention[layer].edited = {places, std::move(pattern)};
}

void Forward::keepQueriesAndKeys(PackedPrompt& prompt, std::size_t layer) {
    if (prompt.item->frozen_patterns) {
        LayerAttention& kept = prompt.run->attention[layer];
        kept.q = prompt.item->frozen_patterns->attention[layer].q;
        kept.k = prompt.item->frozen_patterns->attention[layer].k;
        return;
    }
    keep(prompt, queries(layer), &LayerAttention::q, layer);
    keep(prompt, keys(layer), &LayerAttention::k, layer);
}

/// `computed` behind what is known of it.
void Forward::keep(const PackedPrompt& prompt, MatrixView computed, Tensor LayerAttention::*part,
                   std::size_t layer) {
    const std::size_t width = computed.cols;
    const KnownStart& known = prompt.item->known;
    float* const kept = (prompt.run->attention[layer].*part).data();
    if (known.run)
        std::copy_n((known.run->attention[layer].*part).data(), known.positions * width, kept);
    parallelRows(prompt.rows.size(), width, [&](RowRange range) {
        for (std::size_t t = range.begin; t < range.begin + range.count; ++t)
            std::copy_n(computed.row(prompt.rows.begin + t), width,
                        kept + (known.positions + t) * width);
    });
}

/// The keys and values of the prompt behind those of the tokens before it.
void Forward::addToEarlier(PackedPrompt& prompt, std::size_t layer) {
    KeyValues::Layer& earlier = prompt.item->earlier->layers[layer];
    const auto copy = [&](MatrixView from, Tensor& to) {
        for (std::size_t t = 0; t < prompt.positions(); ++t)
            std::copy_n(from.row(prompt.rows.begin + t), from.cols,
                        to.data() + (prompt.firstPosition() + t) * from.cols);
    };
    copy(keys(layer), earlier.k);
    copy(values(layer), earlier.v);
}

/// Frozen patterns come from another run's queries and keys; the values are always the prompt's
/// own.
HeadInput Forward::headInput(const PackedPrompt& prompt, LayerHead head) {
    const std::size_t place = spec_.headPlace(head);
    const std::size_t kv_place = spec_.kvPlace(head);
    HeadInput input;
    input.head = head;
    input.rule = scoreRule(spec_, weights_.W_rel_pos, head);
    if (const auto& earlier = prompt.item->earlier) {
        const KeyValues::Layer& layer = earlier->layers[head.layer];
        input.q = headOf(queries(head.layer), prompt, place, spec_.d_head);
        input.k = headMatrix(layer.k, kv_place).rowRange(0, prompt.textLength());
        input.v = headMatrix(layer.v, kv_place).rowRange(0, prompt.textLength());
        input.first_query = prompt.firstPosition();
        return input;
    }
    if (prompt.startIsKnown()) {
        const LayerAttention& kept = prompt.run->attention[head.layer];
        input.q = headMatrix(kept.q, place);
        input.k = headMatrix(kept.k, kv_place);
        input.v = headMatrix(kept.v, kv_place);
        return input;
    }
    if (const auto& frozen = prompt.item->frozen_patterns) {
        input.q = headMatrix(frozen->attention[head.layer].q, place);
        input.k = headMatrix(frozen->attention[head.layer].k, kv_place);
    } else {
        input.q = headOf(queries(head.layer), prompt, place, spec_.d_head);
        input.k = headOf(keys(head.layer), prompt, kv_place, spec_.d_head);
    }
    if (zIsRead(head.layer))
        input.v = headOf(values(head.layer), prompt, kv_place, spec_.valueDim());
    return input;
}

std::span<RowLse> Forward::lseOf(const PackedPrompt& prompt, std::size_t layer, std::size_t place) {
    if (request_.keep_attention)
        return std::span(prompt.run->attention[layer].lse)
            .subspan(place * prompt.positions(), prompt.positions());
    const auto index = static_cast<std::size_t>(&prompt - prompts_.data());
    const std::size_t longest = lse_.size() / (prompts_.size() * spec_.n_heads);
    return std::span(lse_).subspan((index * spec_.n_heads + place) * longest, prompt.positions());
}

/// The rows of one prompt and the columns of the head at a place, each `width` wide.
MutableMatrixView Forward::headOf(MutableMatrixView heads, const PackedPrompt& prompt,
                                  std::size_t place, std::size_t width) const {
    return heads.rowRange(prompt.rows.begin, prompt.rows.size()).colRange(place * width, width);
}

/// z of all heads at all positions of a prompt, in columns side by side.
MutableMatrixView Forward::zOf(PackedPrompt& prompt, std::size_t layer) {
    const std::size_t width = spec_.zWidth(layer);
    if (prompt.startIsKnown())
        return {prompt.known_z.data(), prompt.positions(), width, width};
    return zRows(layer).rowRange(prompt.rows.begin, prompt.rows.size());
}
MutableMatrixView Forward::zOf(PackedPrompt& prompt, LayerHead head) {
    const std::size_t width = spec_.valueDim();
    return zOf(prompt, head.layer).colRange(spec_.headPlace(head) * width, width);
}

/// Not when a run for patterns ends with this layer.
bool Forward::zIsRead(std::size_t layer) const {
    return !endsAfterPatterns(layer) || wants({HookKind::Z, layer});
}

} // namespace headscope
