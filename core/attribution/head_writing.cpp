#include "core/attribution/head_writing.h"

#include "core/attribution/frozen_norm.h"
#include "core/attribution/vocabulary_check.h"
#include "core/engine/attention.h"
#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <utility>

namespace headscope {

namespace {

constexpr std::array kScaleKinds{HookKind::Ln1Scale, HookKind::Ln1PostScale, HookKind::Ln2Scale,
                                 HookKind::LnFinalScale};

/// `x` [rows], as a row, times W [rows, cols].
std::vector<double> timesMatrix(std::span<const double> x, MatrixView W) {
    std::vector<double> product(W.cols, 0.0);
    for (std::size_t row = 0; row < W.rows; ++row)
        for (std::size_t col = 0; col < W.cols; ++col)
            product[col] += x[row] * static_cast<double>(W(row, col));
    return product;
}

/// Up to `count` of the changes that are above 0 times `sign`, those furthest from 0 first.
std::vector<WrittenToken> furthest(std::span<const float> changes, float sign, std::size_t count) {
    std::vector<TokenId> ids(changes.size());
    std::iota(ids.begin(), ids.end(), TokenId{0});
    const auto size = [&](TokenId id) { return sign * changes[static_cast<std::size_t>(id)]; };
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
    std::partial_sort(ids.begin(), end, ids.end(), [&](TokenId a, TokenId b) {
        return size(a) > size(b) || (size(a) == size(b) && a < b);
    });
    std::vector<WrittenToken> tokens;
    for (auto id = ids.begin(); id != end && size(*id) > 0.0f; ++id)
        tokens.push_back({*id, changes[static_cast<std::size_t>(*id)]});
    return tokens;
}

} // namespace

HeadWriting::HeadWriting(std::shared_ptr<const Model> model, WritingQuestion question)
    : model_(std::move(model)), question_(std::move(question)), plans_(model_->spec) {}

Result<void> HeadWriting::check(const Model& model, const WritingQuestion& question) {
    for (const auto& checked : {checkVocabulary(model), checkLinearReadout(model),
                                checkWithoutStandIns(question.ablated)})
        if (!checked)
            return checked.error();
    for (const LayerHead head : question.heads)
        if (auto exists = checkHead(head, model.spec); !exists)
            return exists.error();
    return {};
}

Result<HeadWriting> HeadWriting::read(const std::shared_ptr<const Model>& model,
                                      const WritingQuestion& question, std::stop_token stop) {
    if (auto checked = check(*model, question); !checked)
        return checked.error();
    const ModelSpec& spec = model->spec;
    HeadWriting writing(model, question);
    writing.z_.reserve(question.heads.size()); // hooks keep references
    HookSet hooks;
    addAblation(hooks, question.ablated, spec);
    for (const LayerHead head : question.heads)
        hooks.observe(
            HookPoint{HookKind::Z, head.layer},
            [&z = writing.z_.emplace_back()](HookPoint, const TensorView& x) {
                z = copyOf(x); // [position, 1, d_head_v]
            },
            spec.headPlace(head));
    for (const HookPoint point : hookPoints(spec))
        if (std::ranges::find(kScaleKinds, point.kind) != kScaleKinds.end())
            hooks.observe(point, [&scales = writing.scales_](HookPoint at, const TensorView& x) {
                const Tensor values = copyOf(x); // [position, 1]
                scales[at].assign(values.values().begin(), values.values().end());
            });
    Request request;
    request.logit_positions = {0}; // so that the final norm is reached, which is of all positions
    request.keep_attention = false;
    const auto run = runModel(model, question.ids, request, hooks, std::move(stop));
    if (!run)
        return run.error();
    return writing;
}

Result<HeadWriting> HeadWriting::of(const StreamRun& run, const std::vector<LayerHead>& heads) {
    const WritingQuestion question{run.question().ids, heads, run.question().ablated};
    if (auto checked = check(run.model(), question); !checked)
        return checked.error();
    HeadWriting writing(run.run().model, question);
    for (const LayerHead head : heads) {
        const MatrixView z =
            headMatrix(run.at({HookKind::Z, head.layer}), run.spec().headPlace(head));
        Tensor& own = writing.z_.emplace_back(Shape{z.rows, z.cols});
        for (std::size_t row = 0; row < z.rows; ++row)
            std::copy_n(z.row(row), z.cols, own.data() + row * z.cols);
    }
    for (const auto& [point, scales] : run.run().captured)
        if (std::ranges::find(kScaleKinds, point.kind) != kScaleKinds.end())
            writing.scales_[point].assign(scales.values().begin(), scales.values().end());
    return writing;
}

double HeadWriting::scale(HookPoint point, std::size_t position) const {
    return static_cast<double>(scales_.at(point)[position]);
}

HeadWriting::Direction HeadWriting::throughLaterNorms(LayerHead head, std::size_t position,
                                                      Direction written) const {
    const ModelSpec& spec = model_->spec;
    bool is_written = false; // by attention, into its output
    bool is_added = false;   // to the residual stream
    for (std::size_t layer = head.layer; layer < spec.n_layers; ++layer)
        for (const BlockStep& step : plans_[layer].steps) {
            const bool of_attention = layer == head.layer && step.branch == Branch::Attention;
            is_written |= step.kind == BlockStepKind::Attention;
            is_added |= step.kind == BlockStepKind::Add && of_attention;
            const bool reads_it = (step.on == BlockValue::Stream && is_added) ||
                                  (step.on == BlockValue::Output && of_attention && is_written);
            if (step.kind == BlockStepKind::Norm && reads_it)
                alongFrozenNorm(spec.norm.kind, model_->weights.layers[layer].*step.norm,
                                scale({step.hooks.front(), layer}, position), written);
        }
    return written;
}

HeadWriting::Direction HeadWriting::throughOutput(std::size_t index, std::size_t position) const {
    const ModelSpec& spec = model_->spec;
    const Weights& weights = model_->weights;
    const LayerHead head = question_.heads[index];
    const std::size_t d_head = spec.valueDim();
    const WidenedMatrix W_O(weights.layers[head.layer].attn.W_O.matrix().rowRange(
        spec.headPlace(head) * d_head, d_head));
    const float* const z = z_[index].data() + position * d_head;
    Direction written = timesMatrix(Direction(z, z + d_head), *W_O);
    written = throughLaterNorms(head, position, std::move(written));
    if (spec.final_norm)
        alongFrozenNorm(spec.finalNorm().kind, weights.ln_final,
                        scale({HookKind::LnFinalScale, 0}, position), written);
    return spec.projectsParts()
               ? timesMatrix(written, *WidenedMatrix(weights.W_project_out.matrix()))
               : written;
}

std::vector<float> HeadWriting::logits(std::size_t index, std::size_t position) const {
    const Direction direction = throughOutput(index, position);
    const std::vector<float> row(direction.begin(), direction.end());
    const WeightMatrix W_U = model_->weights.unembedding().matrix();
    std::vector<float> logits(W_U.rows);
    multiplyTransposed(1.0f, {row.data(), 1, row.size(), row.size()}, W_U,
                       {logits.data(), 1, logits.size(), logits.size()});
    return logits;
}

HeadWrites HeadWriting::strongest(std::size_t index, std::size_t position,
                                  std::size_t count) const {
    std::vector<float> changes = logits(index, position);
    const double mean =
        std::accumulate(changes.begin(), changes.end(), 0.0) / static_cast<double>(changes.size());
    for (float& change : changes)
        change = static_cast<float>(static_cast<double>(change) - mean);
    return {furthest(changes, 1.0f, count), furthest(changes, -1.0f, count)};
}

} // namespace headscope
