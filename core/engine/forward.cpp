#include "core/engine/forward.h"

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
    if (spec_.window_rotary)
        window_rotary_ = rotaryTable(*spec_.window_rotary, positions_);
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

/// One transformer block. Sequential: x += attn(x); x += mlp(x). Parallel: x += attn(x) + mlp(x).
/// NormPlacement says what is normalised: the input of a branch, its output, or each sum.
void Forward::block(std::size_t layer) {
    const bool norms_sums = spec_.norm_placement == NormPlacement::Post;

    hooks_.fire({HookKind::ResidPre, layer}, residual_.view());
    attention(layer);
    if (endsAfterAttention(layer))
        return;
    hooks_.fire({HookKind::AttnOut, layer}, out_.view());
    if (spec_.parallel_residual)
        normed_ = residual_;
    addInto(residual_.matrix(), out_.matrix());

    if (spec_.mlp != MlpKind::None) {
        if (!spec_.parallel_residual) {
            hooks_.fire({HookKind::ResidMid, layer}, residual_.view());
            if (norms_sums)
                normalise1(layer, {positions_}, residual_.matrix());
            normed_ = residual_;
        }
        mlp(layer);
        hooks_.fire({HookKind::MlpOut, layer}, out_.view());
        addInto(residual_.matrix(), out_.matrix());
    }

    hooks_.fire({HookKind::ResidPost, layer}, residual_.view());
    if (norms_sums) {
        normalise2(layer, residual_.matrix());
        hooks_.fire({HookKind::NormalizedResidPost, layer}, residual_.view());
    }
}

void Forward::normalise1(std::size_t layer, const Shape& leading, MutableMatrixView x) {
    normalise(weights_.layers[layer].ln1,
              {{HookKind::Ln1Scale, layer}, {HookKind::Ln1Normalized, layer}}, leading, x);
}

void Forward::normalise2(std::size_t layer, MutableMatrixView x) {
    const LayerWeights& weights = weights_.layers[layer];
    normalise(spec_.shared_norm ? weights.ln1 : weights.ln2,
              {{HookKind::Ln2Scale, layer}, {HookKind::Ln2Normalized, layer}}, {positions_}, x);
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

/// Nobody reads what comes after the last layer's attention.
bool Forward::endsAfterAttention(std::size_t layer) const {
    constexpr std::array later{
        HookKind::AttnOut,       HookKind::ResidMid,
        HookKind::Ln1Scale, // of the sum, in post-norm blocks
        HookKind::Ln1Normalized, HookKind::MlpIn,        HookKind::Ln2Scale,
        HookKind::Ln2Normalized, HookKind::MlpPre,       HookKind::MlpPreLinear,
        HookKind::MlpPost,       HookKind::Ln2PostScale, HookKind::Ln2PostNormalized,
        HookKind::MlpOut,        HookKind::ResidPost,    HookKind::NormalizedResidPost,
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
