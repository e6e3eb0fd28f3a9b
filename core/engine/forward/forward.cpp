#include "core/engine/forward/forward.h"

#include "core/engine/forward/steps.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/nonlinear.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

namespace headscope {

namespace {

/// The largest value of `length` among the prompts; there is at least one.
std::size_t longest(std::span<const PackedPrompt> prompts,
                    std::size_t (PackedPrompt::*length)() const) {
    return std::invoke(length, *std::ranges::max_element(prompts, {}, length));
}

bool readsLogits(const PackedPrompt& prompt) {
    return static_cast<bool>(prompt.item->read_logits);
}

bool readsFinalNorm(const PackedPrompt& prompt) {
    constexpr std::array kinds{HookKind::LnFinalScale, HookKind::LnFinalNormalized,
                               HookKind::LnFinalOut};
    return prompt.hooks.wantsAny(kinds, 0);
}

std::vector<HookKind> hooksAfterZ(const BlockPlan& plan) {
    std::vector<HookKind> kinds = plan.hooks();
    kinds.erase(kinds.begin(), std::ranges::find(kinds, HookKind::Z) + 1);
    return kinds;
}

} // namespace

Forward::Forward(const Model& model, const Request& request, std::vector<PackedPrompt> prompts,
                 std::stop_token stop)
    : spec_(model.spec), weights_(model.weights), request_(request), plans_(spec_),
      prompts_(std::move(prompts)), stop_(std::move(stop)),
      end_layer_(request.layers.value_or(spec_.n_layers)),
      starts_at_z_(prompts_.front().item->z != nullptr),
      hooked_(std::ranges::any_of(
          prompts_, [](const PackedPrompt& prompt) { return !prompt.item->hooks.empty(); })),
      goes_behind_blocks_(request.logits || std::ranges::any_of(prompts_, readsLogits) ||
                          std::ranges::any_of(prompts_, readsFinalNorm)),
      rows_(prompts_.back().rows.end),
      panel_rows_(hooked_ ? rows_
                          : std::min(rows_, rowsPerStep(spec_.d_model, spec_.widestMlp()))) {
    const auto workspace = [](Shape shape) { return Tensor::uninitialised(std::move(shape)); };
    residual_ = workspace({rows_, spec_.d_model});
    input_ = workspace({rows_, spec_.d_model});
    qkv_ = workspace({rows_, spec_.qkvWidth()});
    if (spec_.latent)
        latent_ = workspace({rows_, spec_.widestLatent()});
    z_ = workspace({rows_, spec_.zWidth()});
    out_ = workspace({rows_, spec_.d_model});
    if (spec_.mlp != MlpKind::None)
        mlp_pre_ = workspace({panel_rows_, spec_.widestMlp()});
    if (spec_.mlp == MlpKind::Gated)
        mlp_post_ = workspace({panel_rows_, spec_.widestMlp()});
    makeExperts();
    blocks_ = workspace({threads(), blockSize(longest(prompts_, &PackedPrompt::textLength))});
    if (spec_.qk_norm != QkNorm::None)
        dense_heads_ = workspace({rows_, spec_.queryWidth()});
    scale_.reserve(rows_ * (spec_.qk_norm == QkNorm::PerHead ? spec_.n_heads : 1));
    for (PackedPrompt& prompt : prompts_) {
        makeRotary(prompt);
        makeAttention(prompt);
    }
    if (!request_.keep_attention)
        lse_.resize(prompts_.size() * spec_.n_heads * longest(prompts_, &PackedPrompt::positions));
}

/// Prompts of one length share the tables.
void Forward::makeRotary(PackedPrompt& prompt) {
    const PositionRange positions{prompt.firstPosition(), prompt.textLength()};
    const auto [tables, is_new] = rotary_.try_emplace({positions.begin, positions.end});
    if (is_new && spec_.positions == PositionKind::Rotary)
        tables->second.all = rotaryTable(spec_.rotary, positions);
    if (is_new && spec_.window_rotary)
        tables->second.window = rotaryTable(*spec_.window_rotary, positions);
    prompt.rotary = &tables->second;
}

/// Where the run keeps what its patterns are computed from.
void Forward::makeAttention(PackedPrompt& prompt) {
    if (!request_.keep_attention)
        return;
    const std::size_t positions = prompt.positions();
    prompt.run->attention.resize(end_layer_);
    for (std::size_t layer = request_.first_layer; layer < end_layer_; ++layer) {
        if (layer == request_.first_layer && starts_at_z_)
            continue;
        LayerAttention& kept = prompt.run->attention[layer];
        kept.q = Tensor::uninitialised({positions, spec_.headsIn(layer), spec_.d_head});
        kept.k = Tensor::uninitialised({positions, spec_.kvHeadsIn(layer), spec_.d_head});
        kept.lse.resize(spec_.headsIn(layer) * positions);
        if (request_.keep_values)
            kept.v = Tensor::uninitialised({positions, spec_.kvHeadsIn(layer), spec_.valueDim()});
    }
    if (prompt.showsKnown())
        prompt.known_z = Tensor::uninitialised({positions, spec_.zWidth()});
}

Result<void> Forward::operator()() {
    if (!stop_.stop_requested())
        start();
    for (std::size_t layer = request_.first_layer;
         layer < end_layer_ && finite_ && !stop_.stop_requested(); ++layer) {
        block(layer);
        if (refusal_)
            return *refusal_;
        finite_ = finite_ && allFinite(rows(residual_));
        reportLayer(layer);
    }
    if (goes_behind_blocks_ && finite_ && !stop_.stop_requested())
        unembed();
    if (stop_.stop_requested())
        return Error{ErrorCode::Cancelled, "The run was stopped."};
    if (!finite_)
        return Error{ErrorCode::Malformed, "The run is not finite."};
    return {};
}

void Forward::start() {
    if (request_.first_layer == 0 && !starts_at_z_)
        return embed();
    if (spec_.positions == PositionKind::Shortformer)
        positions_ = positionEmbedding();
    for (const PackedPrompt& prompt : prompts_)
        std::ranges::copy(prompt.item->resid_pre->values(),
                          residual_.matrix().row(prompt.rows.begin));
}

void Forward::reportLayer(std::size_t layer) const {
    if (!request_.progress)
        return;
    const std::size_t done = layer + 1 - request_.first_layer;
    const std::size_t all = end_layer_ - request_.first_layer;
    report(request_.progress, static_cast<double>(done) / static_cast<double>(all),
           "layer " + std::to_string(done) + " of " + std::to_string(all));
}

/// One transformer block, step by step. A run that brings z along begins with its attention.
void Forward::block(std::size_t layer) {
    const std::vector<BlockStep>& steps = plans_[layer].steps;
    auto step = steps.begin();
    if (startsAtZ(layer))
        step = std::ranges::find(steps, BlockStepKind::Attention, &BlockStep::kind);
    for (; step != steps.end() && !refusal_; ++step) {
        take(*step, layer);
        if (step->kind == BlockStepKind::Attention && endsAfterAttention(layer))
            return;
    }
}

void Forward::take(const BlockStep& step, std::size_t layer) {
    const bool of_split_inputs =
        step.branch == Branch::Attention && step.on == BlockValue::Input && splitsInputs(layer);
    switch (step.kind) {
    case BlockStepKind::Hook:
        // Inputs of single heads exist only where projectSplitInputs() makes them.
        if (step.branch == Branch::Mlp || step.on != BlockValue::Input)
            fire({step.hooks.front(), layer}, valueOf(step.on));
        return;
    case BlockStepKind::Read:
        return copyResidual();
    case BlockStepKind::Norm:
        if (!of_split_inputs)
            normalise(step, layer, valueOf(step.on));
        return;
    case BlockStepKind::Attention:
        return attention(layer);
    case BlockStepKind::Mlp:
        return spec_.hasExperts(layer) ? experts(layer) : mlp(layer);
    case BlockStepKind::Add:
        return addToResidual();
    }
}

MutableMatrixView Forward::valueOf(BlockValue value) {
    switch (value) {
    case BlockValue::Stream:
        return rows(residual_);
    case BlockValue::Input:
        return rows(input_);
    case BlockValue::Output:
        return rows(out_);
    }
    return {};
}

/// The branch reads the residual stream, and may then normalise its copy in place.
void Forward::copyResidual() {
    parallelRows(rows_, spec_.d_model, [&](RowRange range) {
        std::copy_n(residual_.matrix().row(range.begin), range.count * spec_.d_model,
                    input_.matrix().row(range.begin));
    });
}

void Forward::addToResidual() {
    parallelRows(rows_, spec_.d_model, [&](RowRange range) {
        addInto(residual_.matrix().rowRange(range.begin, range.count),
                out_.matrix().rowRange(range.begin, range.count));
    });
}

/// out = x · W + b, in steps between which a run can be stopped.
void Forward::project(MatrixView x, const WeightMatrix& weight, std::span<const float> bias,
                      MutableMatrixView out) {
    const std::size_t step = rowsPerStep(x.cols, out.cols);
    for (std::size_t begin = 0; begin < x.rows && !stop_.stop_requested(); begin += step) {
        const std::size_t count = std::min(step, x.rows - begin);
        multiply(x.rowRange(begin, count), weight, out.rowRange(begin, count));
    }
    std::atomic<bool> finite = true;
    parallelRows(out.rows, out.cols, [&](RowRange range) {
        const MutableMatrixView part = out.rowRange(range.begin, range.count);
        addBias(part, bias);
        if (!allFinite(part)) // here, because what follows may hide an infinity
            finite.store(false, std::memory_order_relaxed);
    });
    finite_ = finite_ && finite;
}

void Forward::normalise(const BlockStep& norm, std::size_t layer, MutableMatrixView x,
                        std::size_t n_heads) {
    normalise(spec_.norm, weights_.layers[layer].*norm.norm,
              {{norm.hooks[0], layer}, {norm.hooks[1], layer}, {norm.hooks[2], layer}}, x, n_heads);
}

/// In place. x has a row per position or, with `n_heads`, that many rows per position, each of
/// which may have gains of its own.
void Forward::normalise(const NormSpec& norm, const NormWeights& weights, NormPoints points,
                        MutableMatrixView x, std::size_t n_heads) {
    const bool layer_norm = norm.kind == NormKind::LayerNorm;
    const std::size_t per_position = std::max<std::size_t>(1, n_heads);
    const std::size_t positions = x.rows / per_position;
    scale_.resize(x.rows);
    const std::span<float> scale = scale_;
    const auto each = [&](auto&& work) {
        parallelRows(x.rows, x.cols, [&](RowRange range) {
            work(x.rowRange(range.begin, range.count), scale.subspan(range.begin, range.count),
                 range.begin);
        });
    };
    each([&](MutableMatrixView part, std::span<float> part_scale, std::size_t) {
        if (layer_norm)
            centreRows(part);
        rmsOfRows(part, norm.eps, part_scale);
    });
    fire(points.scale, {scale.data(), positions, per_position, per_position}, n_heads);
    finite_ = finite_ && std::ranges::all_of(
                             scale, [](float rms) { return std::abs(rms) <= kLargestNormScale; });
    const MutableMatrixView seen{x.data, positions, per_position * x.cols, per_position * x.stride};
    const auto shift = [&](MutableMatrixView part, std::size_t first_row) {
        scaleAndShiftInTurn(part, first_row, weights.weight.values(), weights.bias.values());
    };
    const bool in_two_steps = wants(points.normalized); // one passes over the rows once
    each([&](MutableMatrixView part, std::span<float> part_scale, std::size_t first_row) {
        divideRows(part, part_scale);
        if (!in_two_steps)
            shift(part, first_row);
    });
    if (in_two_steps) {
        fire(points.normalized, seen, n_heads);
        each([&](MutableMatrixView part, std::span<float>, std::size_t first_row) {
            shift(part, first_row);
        });
    }
    fire(points.out, seen, n_heads);
}

bool Forward::startsAtZ(std::size_t layer) const {
    return starts_at_z_ && layer == request_.first_layer;
}

/// Nobody reads what the last layer's heads move.
bool Forward::endsAfterPatterns(std::size_t layer) const {
    return endsAfterAttention(layer) && !request_.last_attention_output;
}

/// Nobody reads what comes after the last layer's attention.
bool Forward::endsAfterAttention(std::size_t layer) const {
    return !goes_behind_blocks_ && layer + 1 == end_layer_ &&
           !wantsAny(hooksAfterZ(plans_[layer]), layer);
}

/// out = mlp(x), x is input_. Position by position, so that some rows at a time are enough.
void Forward::mlp(std::size_t layer) {
    for (std::size_t begin = 0; begin < rows_ && !stop_.stop_requested(); begin += panel_rows_) {
        const std::size_t count = std::min(panel_rows_, rows_ - begin);
        mlpRows(layer, input_.matrix().rowRange(begin, count),
                out_.matrix().rowRange(begin, count));
    }
}

/// Plain: act(x W_in + b_in) W_out + b_out, perhaps with a norm before W_out. Gated:
/// (act(x W_gate + b_gate) ⊙ (x W_in + b_in)) W_out + b_out (Shazeer 2020), perhaps with b_in added
/// after the product.
void Forward::mlpRows(std::size_t layer, MatrixView x, MutableMatrixView out) {
    const MlpWeights& weights = weights_.layers[layer].mlp;
    const bool gated = spec_.mlp == MlpKind::Gated;
    const MutableMatrixView pre = panelOf(mlp_pre_, x.rows, spec_.d_mlp);
    project(x, (gated ? weights.W_gate : weights.W_in).matrix(),
            (gated ? weights.b_gate : weights.b_in).values(), pre);
    fire({HookKind::MlpPre, layer}, pre);
    activate(spec_.activation, pre);
    if (gated) {
        const MutableMatrixView linear = panelOf(mlp_post_, x.rows, spec_.d_mlp);
        const std::span<const float> b_in = weights.b_in.values();
        const bool behind = spec_.mlp_bias_behind_gate;
        project(x, weights.W_in.matrix(), behind ? std::span<const float>() : b_in, linear);
        fire({HookKind::MlpPreLinear, layer}, linear);
        parallelRows(pre.rows, pre.cols, [&](RowRange range) {
            const MutableMatrixView part = pre.rowRange(range.begin, range.count);
            multiplyInto(part, linear.rowRange(range.begin, range.count));
            if (behind)
                addBias(part, b_in);
        });
    }
    if (spec_.mlp_norm) {
        fire({HookKind::MlpMid, layer}, pre);
        normalise(spec_.norm, weights.ln,
                  {{HookKind::MlpNormScale, layer},
                   {HookKind::MlpNormalized, layer},
                   {HookKind::MlpNormOut, layer}},
                  pre);
    }
    fire({HookKind::MlpPost, layer}, pre);
    project(pre, weights.W_out.matrix(), weights.b_out.values(), out);
}

void Forward::activate(Activation activation, MutableMatrixView x) {
    parallelRows(x.rows, x.cols, [&](RowRange range) {
        for (std::size_t r = range.begin; r < range.begin + range.count; ++r)
            headscope::activate(activation, {x.row(r), x.cols});
    });
}

namespace {

/// Rows of a matrix as hooks see them: [position, cols], or [position, head, cols / n_heads].
MutableTensorView hookView(MutableMatrixView x, std::size_t n_heads) {
    if (n_heads == 0)
        return {x.data, {x.rows, x.cols}, {x.stride, 1}};
    const std::size_t width = x.cols / n_heads;
    return {x.data, {x.rows, n_heads, width}, {x.stride, width, 1}};
}

} // namespace

bool Forward::wants(HookPoint point) const {
    return hooked_ && std::ranges::any_of(prompts_, [&](const PackedPrompt& prompt) {
               return prompt.hooks.wants(point);
           });
}

bool Forward::wantsAny(std::span<const HookKind> kinds, std::size_t layer) const {
    return hooked_ && std::ranges::any_of(prompts_, [&](const PackedPrompt& prompt) {
               return prompt.hooks.wantsAny(kinds, layer);
           });
}

bool Forward::readsPastLastZ() const {
    return hooked_ && std::ranges::any_of(prompts_, [](const PackedPrompt& prompt) {
               return prompt.hooks.readsPastLastZ();
           });
}

/// x [T, cols]; with `n_heads` > 0 its columns are those of that many heads, side by side.
void Forward::fire(HookPoint point, MutableMatrixView x, std::size_t n_heads) {
    if (!hooked_)
        return;
    for (PackedPrompt& prompt : prompts_)
        fire(prompt, point, x.rowRange(prompt.rows.begin, prompt.rows.size()), n_heads);
}

/// The same for one prompt, x [position, cols].
void Forward::fire(PackedPrompt& prompt, HookPoint point, MutableMatrixView x,
                   std::size_t n_heads) {
    if (prompt.hooks.wants(point))
        prompt.hooks.fire(point, hookView(x, n_heads));
}

} // namespace headscope
