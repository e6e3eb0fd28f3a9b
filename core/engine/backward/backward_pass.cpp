#include "core/engine/backward/backward_pass.h"

#include "core/engine/forward/steps.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace headscope {

namespace {

/// Whether a norm of the block reads the value at this point.
bool isNormed(const BlockPlan& plan, HookKind kind) {
    return std::ranges::any_of(plan.steps,
                               [&](const BlockStep& step) { return step.norm_reads == kind; });
}

} // namespace

std::vector<HookPoint> Backward::reads(const ModelSpec& spec) {
    const BlockPlans plans(spec);
    std::vector<HookPoint> points = hookPoints(spec);
    std::erase_if(points,
                  [&](HookPoint point) { return !isRead(spec, plans[point.layer], point); });
    return points;
}

bool Backward::isRead(const ModelSpec& spec, const BlockPlan& plan, HookPoint point) {
    const bool normed_at_end = spec.final_norm || spec.output == OutputHead::MaskedLm;
    if (normed_at_end && point == HookPoint{plan.end(), spec.n_layers - 1})
        return true;
    if (spec.hasExperts(point.layer) && point.kind == expertsRead(plan))
        return true;
    switch (point.kind) {
    case HookKind::Embed:
    case HookKind::PosEmbed:
    case HookKind::TokenTypeEmbed:
        return spec.norm_after_embedding;
    case HookKind::MlpMid:
        return spec.mlp_norm;
    case HookKind::Q:
    case HookKind::K:
        return spec.qk_norm != QkNorm::None || spec.qkv_clip != 0.0;
    case HookKind::QNormOut:
    case HookKind::KNormOut:
        return spec.qkv_clip != 0.0;
    case HookKind::RotQ:
    case HookKind::RotK:
        return spec.qk_norm_after_rotary;
    case HookKind::MlpPost:
        return plan.norm(Branch::Mlp, BlockValue::Output) != nullptr;
    case HookKind::QLatent:
    case HookKind::KvLatent:
    case HookKind::V:
    case HookKind::Z:
    case HookKind::MlpPre:
    case HookKind::MlpPreLinear:
    case HookKind::RouterLogits:
    case HookKind::ExpertIndices:
    case HookKind::ExpertWeights:
        return true;
    case HookKind::LnFinalOut:
        return spec.output == OutputHead::MaskedLm;
    default:
        return isNormed(plan, point.kind);
    }
}

Backward::Backward(const Run& run, HookDispatch& hooks, PerHead<float>& gates, std::stop_token stop)
    : spec_(run.model->spec), weights_(run.model->weights), plans_(spec_), run_(run), hooks_(hooks),
      gates_(gates), stop_(std::move(stop)), positions_(run.positions()),
      d_residual_({positions_, spec_.d_model}), d_out_(d_residual_.shape()),
      d_attn_in_(d_residual_.shape()),
      d_mlp_in_({spec_.mlp == MlpKind::None ? 0 : positions_, spec_.d_model}),
      d_qkv_({positions_, spec_.qkvWidth()}), d_z_({positions_, spec_.n_heads, spec_.valueDim()}),
      d_mlp_pre_({positions_, spec_.d_mlp}),
      d_mlp_linear_({positions_, spec_.mlp == MlpKind::Gated ? spec_.d_mlp : 0}),
      blocks_(Tensor::uninitialised({threads(), 2 * blockSize(positions_)})) {
    if (spec_.positions == PositionKind::Shortformer && hooks_.wants({HookKind::PosEmbed, 0}))
        d_positions_ = Tensor(d_residual_.shape());
    if (spec_.positions == PositionKind::Rotary)
        rotary_ = transposed(rotaryTable(spec_.rotary, positions_));
    if (spec_.window_rotary)
        window_rotary_ = transposed(rotaryTable(*spec_.window_rotary, positions_));
}

Result<void> Backward::operator()(Tensor d_logits) {
    unembed(std::move(d_logits));
    if (stop_.stop_requested())
        return Error{ErrorCode::Cancelled, "The reverse pass was stopped."};
    const HookPoint last{HookKind::ResidPost, spec_.n_layers - 1};
    if (auto finite = requireFinite(last, d_residual_.matrix()); !finite)
        return finite;
    return blocksBelow(spec_.n_layers);
}

/// What comes after that attention changes nothing: all gradients there are 0.
Result<void> Backward::operator()(const AttentionEntry& entry) {
    const std::size_t layer = entry.head.layer;
    const std::vector<BlockStep>& steps = plans_[layer].steps;
    const auto attention = std::ranges::find(steps, BlockStepKind::Attention, &BlockStep::kind);
    attentionEntry(entry);
    for (auto step = std::make_reverse_iterator(attention); step != steps.rend(); ++step)
        take(*step, layer);
    if (auto checked = checkBlock(layer); !checked)
        return checked;
    return blocksBelow(layer);
}

/// From d_x after them to the tokens.
Result<void> Backward::blocksBelow(std::size_t end_layer) {
    for (std::size_t layer = end_layer; layer-- > 0;) {
        block(layer);
        if (auto checked = checkBlock(layer); !checked)
            return checked;
    }
    embed();
    return {};
}

Result<void> Backward::checkBlock(std::size_t layer) const {
    if (stop_.stop_requested())
        return Error{ErrorCode::Cancelled, "The reverse pass was stopped."};
    return requireFinite({HookKind::ResidPre, layer}, d_residual_.matrix());
}

/// One transformer block, its steps from the last to the first.
void Backward::block(std::size_t layer) {
    const std::vector<BlockStep>& steps = plans_[layer].steps;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        take(*step, layer);
}

void Backward::take(const BlockStep& step, std::size_t layer) {
    if (step.on == BlockValue::Stream)
        finishReads();
    switch (step.kind) {
    case BlockStepKind::Hook:
        if (step.branch == Branch::Attention && step.on == BlockValue::Input)
            splitInputs(layer);
        else
            fire({step.hooks.front(), layer}, gradientOf(step).matrix());
        return;
    case BlockStepKind::Read:
        reads_.push_back(step.branch);
        return;
    case BlockStepKind::Norm:
        return normalise(
            spec_.norm, weights_.layers[layer].*step.norm,
            NormPoints{{step.hooks[0], layer}, {step.hooks[1], layer}, {step.hooks[2], layer}},
            normInput(step, layer).matrix(), gradientOf(step).matrix());
    case BlockStepKind::Attention:
        return attention(layer);
    case BlockStepKind::Mlp:
        return spec_.hasExperts(layer) ? experts(layer) : mlp(layer);
    case BlockStepKind::Add:
        d_out_ = d_residual_;
        return;
    }
}

/// d_x += d_in of each branch that read x; of several in the order of the block.
void Backward::finishReads() {
    for (auto branch = reads_.rbegin(); branch != reads_.rend(); ++branch) {
        const Tensor& d_in = *branch == Branch::Attention ? d_attn_in_ : d_mlp_in_;
        parallelRows(positions_, spec_.d_model, [&](RowRange range) {
            addInto(d_residual_.matrix().rowRange(range.begin, range.count),
                    d_in.matrix().rowRange(range.begin, range.count));
        });
    }
    reads_.clear();
}

/// The gradient of the value that a hook or a norm works on.
Tensor& Backward::gradientOf(const BlockStep& step) {
    switch (step.on) {
    case BlockValue::Stream:
        return d_residual_;
    case BlockValue::Input:
        return step.branch == Branch::Attention ? d_attn_in_ : d_mlp_in_;
    case BlockValue::Output:
        break;
    }
    return d_out_;
}

/// What a norm of the block read. Outputs of branches are computed again.
Tensor Backward::normInput(const BlockStep& norm, std::size_t layer) const {
    if (norm.norm_reads)
        return value(*norm.norm_reads, layer);
    if (norm.branch == Branch::Attention)
        return attentionOutput(layer);
    return spec_.hasExperts(layer) ? expertsOutput(layer) : mlpOutput(layer);
}

/// d_in = d_out · Wᵀ, of out = in · W.
void Backward::project(MatrixView d_out, const WeightTensor& W, MutableMatrixView d_in) const {
    inSteps(d_out.cols, d_in.cols, [&](RowRange range) {
        multiplyTransposed(1.0f, d_out.rowRange(range.begin, range.count), W.matrix(),
                           d_in.rowRange(range.begin, range.count));
    });
}

/// The same added to d_in, of an input that is read once more.
void Backward::projectAdd(MatrixView d_out, const WeightTensor& W, MutableMatrixView d_in) const {
    inSteps(d_out.cols, d_in.cols, [&](RowRange range) {
        multiplyTransposedAdd(d_out.rowRange(range.begin, range.count), W.matrix(),
                              d_in.rowRange(range.begin, range.count));
    });
}

/// d: of the norm's output on entry, of its input x on return. With `n_heads` each position has so
/// many rows; no points: no hooks.
void Backward::normalise(const NormSpec& norm, const NormWeights& weights,
                         std::optional<NormPoints> points, MatrixView x, MutableMatrixView d,
                         std::size_t n_heads) {
    const bool layer_norm = norm.kind == NormKind::LayerNorm;
    const std::size_t per_position = std::max<std::size_t>(1, n_heads);
    Tensor normalized = copyOf({x.data, {x.rows, x.cols}, {x.stride, 1}});
    std::vector<float> scale(x.rows);
    std::vector<float> d_scale(x.rows);
    const auto each = [&](auto&& work) {
        parallelRows(x.rows, x.cols, [&](RowRange range) {
            const auto part = [&](std::vector<float>& all) {
                return std::span(all).subspan(range.begin, range.count);
            };
            work(normalized.matrix().rowRange(range.begin, range.count), part(scale), part(d_scale),
                 d.rowRange(range.begin, range.count), range.begin);
        });
    };
    const MutableMatrixView seen{d.data, positions_, per_position * d.cols,
                                 per_position * d.stride};
    if (points)
        fire(points->out, seen, n_heads);
    each([&](auto, auto, auto, MutableMatrixView part, std::size_t first_row) {
        scaleAndShiftInTurn(part, first_row, weights.weight.values(), {});
    });
    if (points)
        fire(points->normalized, seen, n_heads);
    each([&](MutableMatrixView y, auto part_scale, auto d_part_scale, MutableMatrixView part,
             std::size_t) {
        if (layer_norm)
            centreRows(y);
        rmsOfRows(y, norm.eps, part_scale);
        divideRows(y, part_scale);
        scaleGradient(y, part_scale, part, d_part_scale);
        divideByRmsBackward(y, part_scale, d_part_scale, part);
        if (layer_norm)
            centreRows(part);
    });
    if (points)
        fire(points->scale, {d_scale.data(), positions_, per_position, per_position}, n_heads);
}

/// What the forward pass had at a hook point.
const Tensor& Backward::value(HookKind kind, std::size_t layer) const {
    return run_.captured.at({kind, layer});
}

/// d [T, cols]; with `n_heads` > 0 its columns are those of that many heads, side by side.
void Backward::fire(HookPoint point, MutableMatrixView d, std::size_t n_heads) {
    if (!hooks_.wants(point))
        return;
    if (n_heads == 0)
        return hooks_.fire(point, {d.data, {d.rows, d.cols}, {d.stride, 1}});
    const std::size_t width = d.cols / n_heads;
    hooks_.fire(point, {d.data, {d.rows, n_heads, width}, {d.stride, width, 1}});
}

Result<void> Backward::requireFinite(HookPoint point, MatrixView d) const {
    for (std::size_t t = 0; t < d.rows; ++t)
        for (std::size_t c = 0; c < d.cols; ++c)
            if (!std::isfinite(d(t, c)))
                return Error{ErrorCode::Malformed,
                             "The gradient is not finite: at '" + hookName(spec_, point) +
                                 "' it holds NaN or infinity at position " + std::to_string(t) +
                                 "; the gradient of the metric, or the weights, overflow there."};
    return {};
}

namespace {

/// One row of a matrix without gaps.
template <class T>
auto rowOf(T& x, std::size_t row) {
    return x.values().subspan(row * x.dim(1), x.dim(1));
}

} // namespace

/// d_out_ → d_mlp_in_. Plain: act(x W_in + b_in) W_out + b_out. Gated: (act(x W_gate + b_gate)
/// ⊙ (x W_in + b_in)) W_out + b_out. Biases do not count.
void Backward::mlp(std::size_t layer) {
    const MlpWeights& weights = weights_.layers[layer].mlp;
    const bool gated = spec_.mlp == MlpKind::Gated;
    project(d_out_.matrix(), weights.W_out, d_mlp_pre_.matrix());
    fire({HookKind::MlpPost, layer}, d_mlp_pre_.matrix());
    if (spec_.mlp_norm)
        mlpNorm(layer);
    if (gated)
        gateBackward(layer);
    const Tensor& pre = value(HookKind::MlpPre, layer);
    parallelRows(positions_, spec_.d_mlp, [&](RowRange range) {
        for (std::size_t row = range.begin; row < range.begin + range.count; ++row)
            activateBackward(spec_.activation, rowOf(pre, row), rowOf(d_mlp_pre_, row));
    });
    fire({HookKind::MlpPre, layer}, d_mlp_pre_.matrix());

    project(d_mlp_pre_.matrix(), gated ? weights.W_gate : weights.W_in, d_mlp_in_.matrix());
    if (gated)
        projectAdd(d_mlp_linear_.matrix(), weights.W_in, d_mlp_in_.matrix());
}

/// The reverse of the norm between the activation and W_out, in d_mlp_pre_.
void Backward::mlpNorm(std::size_t layer) {
    normalise(spec_.norm, weights_.layers[layer].mlp.ln,
              NormPoints{{HookKind::MlpNormScale, layer},
                         {HookKind::MlpNormalized, layer},
                         {HookKind::MlpNormOut, layer}},
              value(HookKind::MlpMid, layer).matrix(), d_mlp_pre_.matrix());
    fire({HookKind::MlpMid, layer}, d_mlp_pre_.matrix());
}

/// The reverse of act(gate) ⊙ linear: its gradient in d_mlp_pre_ becomes that of act(gate).
void Backward::gateBackward(std::size_t layer) {
    const Tensor& linear = value(HookKind::MlpPreLinear, layer);
    d_mlp_linear_ = value(HookKind::MlpPre, layer);
    parallelRows(positions_, spec_.d_mlp, [&](RowRange range) {
        const MutableMatrixView d_pre = d_mlp_pre_.matrix().rowRange(range.begin, range.count);
        for (std::size_t row = range.begin; row < range.begin + range.count; ++row)
            activate(spec_.activation, rowOf(d_mlp_linear_, row));
        multiplyInto(d_mlp_linear_.matrix().rowRange(range.begin, range.count), d_pre);
        multiplyInto(d_pre, linear.matrix().rowRange(range.begin, range.count));
    });
    fire({HookKind::MlpPreLinear, layer}, d_mlp_linear_.matrix());
}

/// [T, d_model], before the norm of what the branch adds.
Tensor Backward::mlpOutput(std::size_t layer) const {
    const MlpWeights& weights = weights_.layers[layer].mlp;
    Tensor out({positions_, spec_.d_model});
    multiply(value(HookKind::MlpPost, layer).matrix(), weights.W_out.matrix(), out.matrix());
    addBias(out.matrix(), weights.b_out.values());
    return out;
}

} // namespace headscope
