#include "core/engine/forward/forward.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cmath>

namespace headscope {

/// out = concat_h(softmax(scores(q_h, k_h) + mask) v_h) · W_O + b_O
void Forward::attention(std::size_t layer) {
    if (spec_.headsIn(layer) == 0)
        return attendWithoutHeads(layer);
    if (startsAtZ(layer)) {
        takeGivenZ(layer);
    } else {
        projectQkv(layer);
        clip(spec_.qk_norm == QkNorm::None ? qkv(layer) : values(layer));
        fire({HookKind::Q, layer}, queries(layer), spec_.headsIn(layer));
        fire({HookKind::K, layer}, keys(layer), spec_.kvHeadsIn(layer));
        fireValues(layer);
        if (spec_.qk_norm_after_rotary)
            rotate(layer);
        normaliseQueriesAndKeys(layer);
        if (!spec_.qk_norm_after_rotary)
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

/// Calls the hooks of z. After a known start only the last rows are used from here on.
void Forward::fireZ(std::size_t layer) {
    for (PackedPrompt& prompt : prompts_) {
        const MutableMatrixView z = zOf(prompt, layer);
        fire(prompt, {HookKind::Z, layer}, z, spec_.headsIn(layer));
        if (prompt.showsKnown(layer))
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
                             "A hook looks at patterns of a prompt that goes on after earlier "
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
        const HeadInput input = headInput(prompt, head);
        attend(input, zOf(prompt, head), lseOf(prompt, layer, place).last(input.q.rows),
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
        softmaxRows(scoreRule(spec_, weights_, spec_.headAt(layer, places[i])), ofHead(i),
                    lseOf(prompt, layer, places[i]));
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
    if (prompt.startIsKnown())
        keepKnownSums(prompt, layer);
}

/// Stores `computed` after the part of it that an earlier run knows.
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

/// log Σ exp of the known rows.
void Forward::keepKnownSums(PackedPrompt& prompt, std::size_t layer) {
    const KnownStart& known = prompt.item->known;
    const std::span<const RowLse> sums = known.run->attention[layer].lse;
    for (std::size_t place = 0; place < spec_.headsIn(layer); ++place)
        std::ranges::copy(sums.subspan(place * known.run->positions(), known.positions),
                          lseOf(prompt, layer, place).begin());
}

/// The keys and values of the prompt after those of the tokens before it.
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
    input.rule = scoreRule(spec_, weights_, head);
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
        input.first_query = prompt.showsKnown(head.layer) ? 0 : prompt.firstPosition();
        input.q = headMatrix(kept.q, place)
                      .rowRange(input.first_query, prompt.positions() - input.first_query);
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
    if (prompt.showsKnown(layer))
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
