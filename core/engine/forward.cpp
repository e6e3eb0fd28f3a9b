#include "core/engine/forward.h"

#include "core/engine/attention.h"
#include "core/tensor/activation.h"
#include "core/tensor/gemm.h"
#include "core/tensor/norm.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace headscope {

namespace {

Shape with(Shape leading, std::size_t last) {
    leading.push_back(last);
    return leading;
}

MutableTensorView denseView(float* data, Shape shape) {
    Shape strides = contiguousStrides(shape);
    return {data, std::move(shape), std::move(strides)};
}

/// Adds row ids[t] of `table` to row t of `x`.
void addRows(const Tensor& table, std::span<const TokenId> ids, MutableMatrixView x) {
    for (std::size_t t = 0; t < x.rows; ++t) {
        const float* row = table.matrix().row(static_cast<std::size_t>(ids[t]));
        for (std::size_t c = 0; c < x.cols; ++c)
            x(t, c) += row[c];
    }
}

} // namespace

Forward::Forward(const Model& model, const Request& request, HookDispatch& hooks, Run& run,
                 std::stop_token stop)
    : spec_(model.spec), weights_(model.weights), request_(request), hooks_(hooks), run_(run),
      stop_(std::move(stop)), positions_(run.ids.size()),
      layers_run_(request.layers.value_or(spec_.n_layers)), residual_({positions_, spec_.d_model}),
      normed_({positions_, spec_.d_model}), qkv_({positions_, spec_.qkvWidth()}),
      z_({positions_, spec_.n_heads, spec_.d_head}), out_({positions_, spec_.d_model}),
      mlp_pre_({positions_, spec_.d_mlp}), mlp_post_({positions_, spec_.d_mlp}) {
    if (spec_.positions == PositionKind::Rotary)
        rotary_ = rotaryTable(spec_.rotary, positions_);
}

Result<void> Forward::operator()() {
    embed();
    run_.attention.resize(layers_run_);
    for (std::size_t layer = 0; layer < layers_run_; ++layer) {
        if (auto finite = requireFinite({HookKind::ResidPre, layer}, residual_.matrix()); !finite)
            return finite;
        block(layer);
        if (stop_.stop_requested())
            return Error{ErrorCode::Cancelled, "The run was stopped."};
    }
    if (layers_run_ > 0) {
        const HookPoint last{HookKind::ResidPost, layers_run_ - 1};
        if (auto finite = requireFinite(last, residual_.matrix()); !finite)
            return finite;
    }
    if (request_.logits)
        unembed();
    return {};
}

/// residual = W_E[id] + W_pos[position] + W_token_type[0], normalised where the network does so.
void Forward::embed() {
    const auto add = [&](HookKind kind, const Tensor& table, std::span<const TokenId> rows) {
        Tensor part({positions_, spec_.d_model});
        addRows(table, rows, part.matrix());
        hooks_.fire({kind, 0}, part.view());
        addInto(residual_.matrix(), part.matrix());
    };
    add(HookKind::Embed, weights_.W_E, run_.ids);
    TokenIds rows(positions_);
    if (spec_.positions == PositionKind::Learned) {
        for (std::size_t t = 0; t < positions_; ++t)
            rows[t] = static_cast<TokenId>(t);
        add(HookKind::PosEmbed, weights_.W_pos, rows);
    }
    if (spec_.n_token_types > 0) {
        std::fill(rows.begin(), rows.end(), 0);
        add(HookKind::TokenTypeEmbed, weights_.W_token_type, rows);
    }
    if (spec_.norm_after_embedding)
        normalise(weights_.ln_embed,
                  {{HookKind::EmbedNormScale, 0}, {HookKind::EmbedNormalized, 0}}, {positions_},
                  residual_.matrix());
    hooks_.fire({HookKind::FullEmbed, 0}, residual_.view());
}

/// One transformer block. Pre-norm: x += attn(norm(x)); x += mlp(norm(x)).
/// Post-norm: x = norm(x + attn(x)); x = norm(x + mlp(x)).
void Forward::block(std::size_t layer) {
    const LayerWeights& weights = weights_.layers[layer];
    const bool post_norm = spec_.norm_placement == NormPlacement::Post;

    hooks_.fire({HookKind::ResidPre, layer}, residual_.view());
    attention(layer);
    if (endsAfterAttention(layer))
        return;
    hooks_.fire({HookKind::AttnOut, layer}, out_.view());
    addInto(residual_.matrix(), out_.matrix());

    if (spec_.mlp != MlpKind::None) {
        hooks_.fire({HookKind::ResidMid, layer}, residual_.view());
        if (post_norm)
            normalise(weights.ln1, {{HookKind::Ln1Scale, layer}, {HookKind::Ln1Normalized, layer}},
                      {positions_}, residual_.matrix());
        mlp(layer);
        hooks_.fire({HookKind::MlpOut, layer}, out_.view());
        addInto(residual_.matrix(), out_.matrix());
    }

    hooks_.fire({HookKind::ResidPost, layer}, residual_.view());
    if (post_norm) {
        normalise(weights.ln2, {{HookKind::Ln2Scale, layer}, {HookKind::Ln2Normalized, layer}},
                  {positions_}, residual_.matrix());
        hooks_.fire({HookKind::NormalizedResidPost, layer}, residual_.view());
    }
}

/// out = concat_h(softmax(q_h k_hᵀ · scale + mask) v_h) · W_O + b_O
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
}

void Forward::projectQkv(std::size_t layer) {
    const LayerWeights& weights = weights_.layers[layer];
    const Tensor* input = &residual_;
    if (spec_.norm_placement == NormPlacement::Pre) {
        normed_ = residual_;
        normalise(weights.ln1, {{HookKind::Ln1Scale, layer}, {HookKind::Ln1Normalized, layer}},
                  {positions_}, normed_.matrix());
        input = &normed_;
    }
    multiply(input->matrix(), weights.attn.W_QKV.matrix(), qkv_.matrix());
    addBias(qkv_.matrix(), weights.attn.b_QKV.values());
}

/// The same with one copy of the residual stream per head, so that what a single head reads as
/// query, key or value can be observed and edited.
void Forward::projectSplitInputs(std::size_t layer) {
    const LayerWeights& weights = weights_.layers[layer];
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
        if (spec_.norm_placement == NormPlacement::Pre)
            normalise(weights.ln1, {{HookKind::Ln1Scale, layer}, {HookKind::Ln1Normalized, layer}},
                      {positions_, n_heads}, input.matrix());
        for (std::size_t head = 0; head < n_heads; ++head) {
            const std::size_t column = first_column + head * spec_.d_head;
            multiply(headMatrix(TensorView(input.view()), head),
                     weights.attn.W_QKV.matrix().colRange(column, spec_.d_head),
                     qkv_.matrix().colRange(column, spec_.d_head));
        }
    };
    project(HookKind::QInput, spec_.n_heads, 0);
    project(HookKind::KInput, spec_.n_kv_heads, spec_.queryWidth());
    project(HookKind::VInput, spec_.n_kv_heads, spec_.queryWidth() + spec_.kvWidth());
    addBias(qkv_.matrix(), weights.attn.b_QKV.values());
}

void Forward::rotate(std::size_t layer) {
    if (!rotary_)
        return;
    applyRotary(*rotary_, queries());
    applyRotary(*rotary_, keys());
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

/// Plain: act(x W_in + b_in) W_out + b_out. Gated: (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out
/// + b_out (Shazeer 2020).
void Forward::mlp(std::size_t layer) {
    const LayerWeights& layer_weights = weights_.layers[layer];
    const MlpWeights& weights = layer_weights.mlp;
    normed_ = residual_;
    hooks_.fire({HookKind::MlpIn, layer}, normed_.view());
    if (spec_.norm_placement == NormPlacement::Pre)
        normalise(layer_weights.ln2,
                  {{HookKind::Ln2Scale, layer}, {HookKind::Ln2Normalized, layer}}, {positions_},
                  normed_.matrix());

    const bool gated = spec_.mlp == MlpKind::Gated;
    const auto project = [&](const Tensor& W, const Tensor& b, Tensor& to, HookKind kind) {
        multiply(normed_.matrix(), W.matrix(), to.matrix());
        addBias(to.matrix(), b.values());
        hooks_.fire({kind, layer}, to.view());
    };
    project(gated ? weights.W_gate : weights.W_in, gated ? weights.b_gate : weights.b_in, mlp_pre_,
            HookKind::MlpPre);
    activate(mlp_pre_.values());
    if (gated) {
        project(weights.W_in, weights.b_in, mlp_post_, HookKind::MlpPreLinear);
        for (std::size_t i = 0; i < mlp_pre_.size(); ++i)
            mlp_pre_.data()[i] *= mlp_post_.data()[i];
    }
    hooks_.fire({HookKind::MlpPost, layer}, mlp_pre_.view());
    multiply(mlp_pre_.matrix(), weights.W_out.matrix(), out_.matrix());
    addBias(out_.matrix(), weights.b_out.values());
}

/// logits [T, d_vocab] = norm(x) · W_Uᵀ + b_U
void Forward::unembed() {
    if (spec_.final_norm)
        normalise(weights_.ln_final,
                  {{HookKind::LnFinalScale, 0}, {HookKind::LnFinalNormalized, 0}}, {positions_},
                  residual_.matrix());
    if (spec_.output == OutputHead::None)
        return;
    if (spec_.output == OutputHead::MaskedLm) {
        multiply(residual_.matrix(), weights_.W_mlm.matrix(), normed_.matrix());
        addBias(normed_.matrix(), weights_.b_mlm.values());
        activate(normed_.values());
        normalise(weights_.ln_mlm, {{HookKind::MlmNormScale, 0}, {HookKind::MlmNormalized, 0}},
                  {positions_}, normed_.matrix());
        std::swap(residual_, normed_);
    }
    run_.logits = Tensor({positions_, spec_.d_vocab});
    multiplyTransposed(1.0f, residual_.matrix(), weights_.unembedding().matrix(),
                       run_.logits.matrix());
    addBias(run_.logits.matrix(), weights_.b_U.values());
}

/// In place. `leading` without d_model is the shape that hooks see; x has as many rows.
void Forward::normalise(const NormWeights& weights, NormPoints points, const Shape& leading,
                        MutableMatrixView x) {
    const bool layer_norm = spec_.norm.kind == NormKind::LayerNorm;
    if (layer_norm)
        centreRows(x);
    std::vector<float> scale(x.rows);
    rmsOfRows(x, spec_.norm.eps, scale);
    hooks_.fire(points.scale, denseView(scale.data(), with(leading, 1)));
    divideRows(x, scale);
    if (layer_norm)
        scaleAndShift(x, weights.weight.values(), weights.bias.values());
    hooks_.fire(points.normalized, denseView(x.data, with(leading, x.cols)));
    if (!layer_norm)
        scaleAndShift(x, weights.weight.values(), {});
}

void Forward::activate(std::span<float> x) const {
    switch (spec_.activation) {
    case Activation::Relu:
        return relu(x);
    case Activation::GeluErf:
        return geluErf(x);
    case Activation::GeluTanh:
        return geluTanh(x);
    case Activation::QuickGelu:
        return quickGelu(x);
    case Activation::Silu:
        return silu(x);
    }
}

HeadInput Forward::headInput(std::size_t layer, std::size_t head) {
    const std::size_t kv_head = spec_.kvHeadOf(head);
    HeadInput input;
    input.q = headMatrix(queries(), head);
    input.k = headMatrix(keys(), kv_head);
    input.v = headMatrix(values(), kv_head);
    input.scale = static_cast<float>(spec_.attention_scale[layer]);
    input.causal = spec_.causal;
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

/// Nobody reads what comes after the last layer's attention.
bool Forward::endsAfterAttention(std::size_t layer) const {
    constexpr std::array later{
        HookKind::AttnOut,
        HookKind::ResidMid,
        HookKind::MlpIn,
        HookKind::Ln2Scale,
        HookKind::Ln2Normalized,
        HookKind::MlpPre,
        HookKind::MlpPreLinear,
        HookKind::MlpPost,
        HookKind::MlpOut,
        HookKind::ResidPost,
        HookKind::NormalizedResidPost,
    };
    return !request_.logits && layer + 1 == layers_run_ && !hooks_.wantsAny(later, layer);
}

Result<void> Forward::requireFinite(HookPoint point, MatrixView x) const {
    for (std::size_t t = 0; t < x.rows; ++t)
        for (std::size_t c = 0; c < x.cols; ++c)
            if (!std::isfinite(x(t, c)))
                return Error{ErrorCode::Malformed,
                             "The run is not finite: '" + hookName(spec_, point) +
                                 "' holds NaN or infinity at position " + std::to_string(t) +
                                 "; the weights, or an edit made by a hook, overflow there."};
    return {};
}

} // namespace headscope
