#include "core/interventions/tokens/reading.h"

#include "core/engine/engine.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace headscope {

namespace {

/// Rows of W_E, [position, width of W_E], as HookKind::Embed has them: scaled, and projected where
/// only they are narrower than the residual stream.
Tensor asEmbedded(const Model& model, Tensor rows) {
    const ModelSpec& spec = model.spec;
    if (spec.embedding_scale != 1.0)
        for (float& value : rows.values())
            value *= static_cast<float>(spec.embedding_scale);
    if (!spec.projectsParts())
        return rows;
    Tensor projected({rows.dim(0), spec.d_model});
    multiply(std::as_const(rows).matrix(), model.weights.W_project_in.matrix(), projected.matrix());
    return projected;
}

/// [1, width]
Tensor meanOfRows(const WeightMatrix& rows) {
    Tensor mean = Tensor::uninitialised({1, rows.cols});
    std::ranges::transform(columnMeans(rows), mean.data(),
                           [](double value) { return static_cast<float>(value); });
    return mean;
}

} // namespace

Tensor tokenEmbeddings(const Model& model, const TokenIds& ids) {
    const WeightMatrix W_E = model.weights.W_E.matrix();
    Tensor rows({ids.size(), W_E.cols});
    for (std::size_t t = 0; t < ids.size(); ++t)
        W_E.rowRange(static_cast<std::size_t>(ids[t]), 1).widenInto(rows.matrix().rowRange(t, 1));
    return asEmbedded(model, std::move(rows));
}

Tensor baselineEmbedding(const Model& model, const TokenBaseline& baseline) {
    if (baseline.token)
        return tokenEmbeddings(model, {*baseline.token});
    return asEmbedded(model, meanOfRows(model.weights.W_E.matrix()));
}

Tensor onTheWay(const Tensor& from, const Tensor& to, double share) {
    Tensor embed = from;
    const MutableMatrixView rows = embed.matrix();
    for (std::size_t t = 0; t < rows.rows; ++t)
        std::transform(rows.row(t), rows.row(t) + rows.cols,
                       to.matrix().row(to.dim(0) == 1 ? 0 : t), rows.row(t),
                       [share](float a, float b) {
                           return static_cast<float>(
                               static_cast<double>(a) +
                               share * (static_cast<double>(b) - static_cast<double>(a)));
                       });
    return embed;
}

namespace {

/// A score is read before the edits hide it, a weight after all of them.
HookSet withEntry(const HookSet& edits, const AttentionEntry& entry, std::size_t place,
                  double& found) {
    const HookPoint point{entry.score ? HookKind::AttnScores : HookKind::Pattern, entry.head.layer};
    HookSet hooks;
    hooks.observe(
        point,
        [&found, query = entry.query, key = entry.key](HookPoint, const TensorView& value) {
            found = static_cast<double>(value(0U, query, key));
        },
        place);
    for (const HookSet::Hook& hook : edits.hooks())
        hooks.edit(hook.where, hook.editor, hook.head);
    return hooks;
}

} // namespace

Result<BoundReading> BoundReading::make(const std::shared_ptr<const Model>& model,
                                        const TokenQuestion& question) {
    if (const auto* entry = std::get_if<AttentionEntry>(&question.reading)) {
        if (auto valid = checkAttentionEntry(*entry, model->spec, question.ids.size()); !valid)
            return valid.error();
        return BoundReading(model, question.ids, *entry);
    }
    auto metric = PromptMetric::make(std::get<Metric>(question.reading), model->spec, question.ids);
    if (!metric)
        return metric.error();
    return BoundReading(model, question.ids, *std::move(metric));
}

std::size_t BoundReading::seen() const {
    if (!model_->spec.causal)
        return ids_.size();
    if (const auto* metric = std::get_if<PromptMetric>(&reading_))
        return metric->positions().back() + 1;
    return std::get<AttentionEntry>(reading_).query + 1;
}

Result<double> BoundReading::ofPrompt(const std::stop_token& stop) {
    if (auto* metric = std::get_if<PromptMetric>(&reading_)) {
        const auto run = keepReferenceRun(model_, ids_, {}, *metric, stop);
        if (!run)
            return run.error();
        return run->measured;
    }
    const auto values = measure({HookSet()}, {}, stop);
    if (!values)
        return values.error();
    return values->front();
}

Result<std::vector<double>> BoundReading::measure(std::vector<HookSet> edits,
                                                  const RunsFinished& finished,
                                                  const std::stop_token& stop) const {
    if (const auto* entry = std::get_if<AttentionEntry>(&reading_))
        return measureEntry(*entry, std::move(edits), finished, stop);
    std::vector<RunItem> items(edits.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].ids = ids_;
        items[i].hooks = std::move(edits[i]);
    }
    return measureRuns(model_, std::move(items), 0, std::get<PromptMetric>(reading_), finished,
                       stop);
}

Result<std::vector<double>> BoundReading::measureEntry(const AttentionEntry& entry,
                                                       std::vector<HookSet> edits,
                                                       const RunsFinished& finished,
                                                       const std::stop_token& stop) const {
    std::vector<double> values(edits.size());
    std::vector<RunItem> items(edits.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        items[i].ids = ids_;
        items[i].hooks = withEntry(edits[i], entry, model_->spec.headPlace(entry.head), values[i]);
    }
    Request request;
    request.logits = false;
    request.layers = entry.head.layer + 1;
    request.keep_attention = false;
    if (const auto runs = runInBatches(model_, items, request, finished, stop); !runs)
        return runs.error();
    return values;
}

Result<Tensor> BoundReading::slope(Tensor embed, const std::stop_token& stop) const {
    const HookPoint point{HookKind::Embed, 0};
    const BackwardRequest request{{point}, std::move(embed)};
    const auto* metric = std::get_if<PromptMetric>(&reading_);
    auto gradients =
        metric ? runBackward(
                     model_, ids_, [&](const Tensor& logits) { return metric->gradient(logits); },
                     request, stop)
               : runBackward(model_, ids_, std::get<AttentionEntry>(reading_), request, stop);
    if (!gradients)
        return gradients.error();
    return std::move(gradients->hooks.at(point));
}

} // namespace headscope
