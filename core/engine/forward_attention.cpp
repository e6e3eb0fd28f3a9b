#include "core/engine/forward.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <array>

namespace headscope {

/// out = concat_h(softmax(scores(q_h, k_h) + mask) v_h) · W_O + b_O
void Forward::attention(std::size_t layer) {
    constexpr std::array split_inputs{HookKind::AttnIn, HookKind::QInput, HookKind::KInput,
                                      HookKind::VInput};
    if (hooks_.wantsAny(split_inputs, layer))
        projectSplitInputs(layer);
    else
        projectQkv(layer);

    hooks_.fire({HookKind::Q, layer}, queries());
    hooks_.fire({HookKind::K, layer}, keys());
    hooks_.fire({HookKind::V, layer}, values());
    if (spec_.qk_norm != QkNorm::None) {
        const AttentionWeights& weights = weights_.layers[layer].attn;
        normaliseHeads(weights.q_norm,
                       {{HookKind::QNormScale, layer}, {HookKind::QNormNormalized, layer}},
                       queries());
        normaliseHeads(weights.k_norm,
                       {{HookKind::KNormScale, layer}, {HookKind::KNormNormalized, layer}}, keys());
    }
    rotate(layer);

    LayerAttention& kept = run_.attention[layer];
    kept.q = copyOf(queries());
    kept.k = copyOf(keys());
    kept.lse = Tensor({spec_.n_heads, positions_});

    constexpr std::array whole_patterns{HookKind::AttnScores, HookKind::Pattern};
    if (hooks_.wantsAny(whole_patterns, layer))
        mixMaterialised(layer);
    else
        mixHeads(layer);
    hooks_.fire({HookKind::Z, layer}, z_.view());
    projectOut(layer);
    if (spec_.norm_placement == NormPlacement::Output)
        normalise1(layer, {positions_}, out_.matrix());
    if (spec_.norm_placement == NormPlacement::Sandwich)
        normalise(weights_.layers[layer].ln1_post,
                  {{HookKind::Ln1PostScale, layer}, {HookKind::Ln1PostNormalized, layer}},
                  {positions_}, out_.matrix());
}

void Forward::projectQkv(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const Tensor* input = &residual_;
    if (spec_.normsInput()) {
        normed_ = residual_;
        normalise1(layer, {positions_}, normed_.matrix());
        input = &normed_;
    }
    multiply(input->matrix(), weights.W_QKV.matrix(), qkv_.matrix());
    addBias(qkv_.matrix(), weights.b_QKV.values());
}

/// The same with one copy of the residual stream per head, so that what a single head reads as
/// query, key or value can be observed and edited.
void Forward::projectSplitInputs(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const std::size_t d_model = spec_.d_model;
    Tensor attn_in({positions_, spec_.n_heads, d_model});
    for (std::size_t t = 0; t < positions_; ++t)
        for (std::size_t head = 0; head < spec_.n_heads; ++head)
            std::copy_n(&residual_(t, 0u), d_model, &attn_in(t, head, 0u));
    hooks_.fire({HookKind::AttnIn, layer}, attn_in.view());

    const auto project = [&](HookKind kind, std::size_t n_heads, std::size_t first_column) {
        // A KV head reads what the first query head of its group reads.
        const std::size_t heads_per_input = spec_.n_heads / n_heads;
        Tensor input({positions_, n_heads, d_model});
        for (std::size_t t = 0; t < positions_; ++t)
            for (std::size_t head = 0; head < n_heads; ++head)
                std::copy_n(&attn_in(t, head * heads_per_input, 0u), d_model, &input(t, head, 0u));
        hooks_.fire({kind, layer}, input.view());
        if (spec_.normsInput())
            normalise1(layer, {positions_, n_heads}, input.matrix());
        for (std::size_t head = 0; head < n_heads; ++head) {
            const std::size_t column = first_column + head * spec_.d_head;
            multiply(headMatrix(TensorView(input.view()), head),
                     weights.W_QKV.matrix().colRange(column, spec_.d_head),
                     qkv_.matrix().colRange(column, spec_.d_head));
        }
    };
    project(HookKind::QInput, spec_.n_heads, 0);
    project(HookKind::KInput, spec_.n_kv_heads, spec_.queryWidth());
    project(HookKind::VInput, spec_.n_kv_heads, spec_.queryWidth() + spec_.kvWidth());
    addBias(qkv_.matrix(), weights.b_QKV.values());
}

/// In place; heads is [T, head, d_head] inside the fused projection.
void Forward::normaliseHeads(const NormWeights& weights, NormPoints points,
                             MutableTensorView heads) {
    const std::size_t n_heads = heads.shape[1];
    const std::size_t width = n_heads * spec_.d_head;
    Tensor dense = copyOf(heads);
    if (spec_.qk_norm == QkNorm::PerHead)
        normalise(weights, points, {positions_, n_heads}, dense.matrix());
    else
        normalise(weights, points, {positions_}, {dense.data(), positions_, width, width});
    for (std::size_t t = 0; t < positions_; ++t)
        std::copy_n(dense.data() + t * width, width, &heads(t, 0, 0));
}

void Forward::rotate(std::size_t layer) {
    if (!rotary_)
        return;
    const bool windowed = window_rotary_ && spec_.window(layer) != 0;
    const RotaryTable& table = windowed ? *window_rotary_ : *rotary_;
    applyRotary(table, queries());
    applyRotary(table, keys());
    hooks_.fire({HookKind::RotQ, layer}, queries());
    hooks_.fire({HookKind::RotK, layer}, keys());
}

void Forward::mixHeads(std::size_t layer) {
    for (std::size_t head = 0; head < spec_.n_heads && !stop_.stop_requested(); ++head) {
        float* lse = run_.attention[layer].lse.matrix().row(head);
        attend(headInput(layer, head), headMatrix(z_.view(), head), {lse, positions_});
    }
}

/// The same with scores and patterns of all heads in memory, because a hook wants them.
void Forward::mixMaterialised(std::size_t layer) {
    LayerAttention& kept = run_.attention[layer];
    Tensor pattern({spec_.n_heads, positions_, positions_});
    const auto ofHead = [&](std::size_t head) {
        return pattern.matrix().rowRange(head * positions_, positions_);
    };
    for (std::size_t head = 0; head < spec_.n_heads; ++head)
        maskedScores(headInput(layer, head), ofHead(head));
    hooks_.fire({HookKind::AttnScores, layer}, pattern.view());
    softmaxRows(pattern.matrix(), kept.lse.values());
    hooks_.fire({HookKind::Pattern, layer}, pattern.view());
    for (std::size_t head = 0; head < spec_.n_heads; ++head)
        multiply(ofHead(head), headInput(layer, head).v, headMatrix(z_.view(), head));
    if (hooks_.edits({HookKind::AttnScores, layer}) || hooks_.edits({HookKind::Pattern, layer}))
        kept.edited_pattern = std::move(pattern);
}

void Forward::projectOut(std::size_t layer) {
    const AttentionWeights& weights = weights_.layers[layer].attn;
    const MatrixView z{z_.data(), positions_, spec_.queryWidth(), spec_.queryWidth()};
    if (!hooks_.wants({HookKind::Result, layer})) {
        multiply(z, weights.W_O.matrix(), out_.matrix());
    } else {
        Tensor result({positions_, spec_.n_heads, spec_.d_model});
        for (std::size_t head = 0; head < spec_.n_heads; ++head)
            multiply(headMatrix(TensorView(z_.view()), head),
                     weights.W_O.matrix().rowRange(head * spec_.d_head, spec_.d_head),
                     headMatrix(result.view(), head));
        hooks_.fire({HookKind::Result, layer}, result.view());
        std::fill(out_.values().begin(), out_.values().end(), 0.0f);
        for (std::size_t head = 0; head < spec_.n_heads; ++head)
            addInto(out_.matrix(), headMatrix(result.view(), head));
    }
    addBias(out_.matrix(), weights.b_O.values());
}

HeadInput Forward::headInput(std::size_t layer, std::size_t head) {
    const std::size_t kv_head = spec_.kvHeadOf(head);
    HeadInput input;
    input.q = headMatrix(queries(), head);
    input.k = headMatrix(keys(), kv_head);
    input.v = headMatrix(values(), kv_head);
    input.rule = scoreRule(spec_, {layer, head});
    return input;
}

MutableTensorView Forward::queries() {
    return heads(0, spec_.n_heads);
}
MutableTensorView Forward::keys() {
    return heads(spec_.queryWidth(), spec_.n_kv_heads);
}
MutableTensorView Forward::values() {
    return heads(spec_.queryWidth() + spec_.kvWidth(), spec_.n_kv_heads);
}

/// [T, head, d_head] inside the fused projection.
MutableTensorView Forward::heads(std::size_t first_column, std::size_t n_heads) {
    return {qkv_.data() + first_column,
            {positions_, n_heads, spec_.d_head},
            {spec_.qkvWidth(), spec_.d_head, 1}};
}

} // namespace headscope
