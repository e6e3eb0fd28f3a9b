#include "core/verify/checks/head_sum_checks.h"

#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/verify/checks/check.h"

#include <algorithm>
#include <cmath>

namespace headscope {

namespace {

constexpr double kSumTolerance = 1e-5; ///< float32 sums over thousands of products

/// LayerNorm or RMSNorm of one row; a gain or bias that is not there is left out.
void normaliseRow(std::vector<double>& row, const NormSpec& spec, const NormWeights& weights) {
    const auto width = static_cast<double>(row.size());
    double mean = 0.0;
    if (spec.kind == NormKind::LayerNorm)
        for (const double x : row)
            mean += x / width;
    double squares = 0.0;
    for (const double x : row)
        squares += (x - mean) * (x - mean) / width;
    const double scale = std::sqrt(squares + spec.eps);
    for (std::size_t c = 0; c < row.size(); ++c) {
        row[c] = (row[c] - mean) / scale;
        if (!weights.weight.empty())
            row[c] *= double{weights.weight(c)};
        if (!weights.bias.empty())
            row[c] += double{weights.bias(c)};
    }
}

const Tensor& captured(const Run& run, HookKind kind, std::size_t layer) {
    return run.captured.at({kind, layer});
}

/// Layer `layer` from its z on, once for every head with that head's z zeroed.
std::vector<RunItem> itemsWithoutEachHead(const Run& run, std::size_t layer) {
    const ModelSpec& spec = run.model->spec;
    const auto resid_pre = std::make_shared<const Tensor>(captured(run, HookKind::ResidPre, layer));
    const auto z = std::make_shared<const Tensor>(captured(run, HookKind::Z, layer));
    std::vector<RunItem> items(spec.headsIn(layer));
    for (std::size_t place = 0; place < items.size(); ++place) {
        HeadMask mask;
        mask.set(spec.headAt(layer, place), AblationKind::Zero);
        addAblation(items[place].hooks, mask, spec);
        items[place].hooks.capture(HookPoint{HookKind::AttnOut, layer});
        items[place].ids = run.ids;
        items[place].resid_pre = resid_pre;
        items[place].z = z;
    }
    return items;
}

/// Largest relative difference over the heads of one layer.
Result<double> zeroingError(const Model& model, const Run& run, std::size_t layer,
                            const std::stop_token& stop) {
    Request request;
    request.logits = false;
    request.keep_attention = false;
    request.first_layer = layer;
    request.layers = layer + 1;
    const auto items = itemsWithoutEachHead(run, layer);
    const auto zeroed = runBatch(run.model, items, request, stop);
    if (!zeroed)
        return zeroed.error();
    const Tensor& z = captured(run, HookKind::Z, layer);
    double worst = 0.0;
    for (std::size_t head = 0; head < items.size(); ++head) {
        const double error =
            relativeDifference(captured(*(*zeroed)[head], HookKind::AttnOut, layer),
                               attentionOutput(model, layer, z, head));
        worst = error <= worst ? worst : error; // keeps NaN
    }
    return worst;
}

} // namespace

Tensor attentionOutput(const Model& model, std::size_t layer, const Tensor& z,
                       std::optional<std::size_t> without) {
    const ModelSpec& spec = model.spec;
    const LayerWeights& weights = model.weights.layers[layer];
    const BlockPlan plan = blockPlan(spec, layer);
    const BlockStep* const norm = plan.norm(Branch::Attention, BlockValue::Output);
    Tensor out({z.dim(0), spec.d_model});
    std::vector<double> row(spec.d_model);
    const WidenedMatrix W_O(weights.attn.W_O.matrix());
    for (std::size_t t = 0; t < z.dim(0); ++t) {
        for (std::size_t c = 0; c < spec.d_model; ++c)
            row[c] = weights.attn.b_O.empty() ? 0.0 : double{weights.attn.b_O(c)};
        for (std::size_t i = 0; i < spec.zWidth(layer); ++i) {
            const std::size_t head = i / spec.valueDim();
            const double factor = head == without ? 0.0 : double{z(t, head, i % spec.valueDim())};
            for (std::size_t c = 0; c < spec.d_model; ++c)
                row[c] += factor * double{(*W_O)(i, c)};
        }
        if (norm)
            normaliseRow(row, spec.norm, weights.*norm->norm);
        std::ranges::transform(row, &out(t, 0u),
                               [](double value) { return static_cast<float>(value); });
    }
    return out;
}

void addHeadSumHooks(HookSet& hooks) {
    hooks.capture(HookKind::ResidPre);
    hooks.capture(HookKind::Z);
    hooks.capture(HookKind::AttnOut);
}

Check headSumCheck(const Model& model, const Run& run) {
    double worst = 0.0;
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const double error =
            relativeDifference(captured(run, HookKind::AttnOut, layer),
                               attentionOutput(model, layer, captured(run, HookKind::Z, layer)));
        worst = error <= worst ? worst : error;
    }
    return checkAtMost("Heads sum to attention's output", worst, kSumTolerance,
                       "Σ_h z_h W_O + b_O = attn_out in every layer, over its largest value.");
}

Result<Check> zeroedHeadsCheck(const Model& model, const Run& run, const std::stop_token& stop) {
    double worst = 0.0;
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer) {
        const auto error = zeroingError(model, run, layer, stop);
        if (!error)
            return error.error();
        worst = *error <= worst ? worst : *error;
    }
    return checkAtMost("A zeroed head takes exactly its part away", worst, kSumTolerance,
                       "Every head by itself: attention's output against the sum without z_h W_O, "
                       "over its largest value.");
}

Result<std::vector<Check>> headSumChecks(const std::shared_ptr<const Model>& model,
                                         const TokenIds& ids, const std::stop_token& stop) {
    HookSet hooks;
    addHeadSumHooks(hooks);
    Request request;
    request.keep_attention = false;
    const auto run = runModel(model, ids, request, hooks, stop);
    if (!run)
        return run.error();
    auto zeroed = zeroedHeadsCheck(*model, **run, stop);
    if (!zeroed)
        return zeroed.error();
    return std::vector{headSumCheck(*model, **run), *std::move(zeroed)};
}

} // namespace headscope
