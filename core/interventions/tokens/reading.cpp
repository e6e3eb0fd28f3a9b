#include "core/interventions/tokens/reading.h"

#include "core/engine/engine.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace headscope {

namespace {

/// A score is read before the edits hide it, a weight behind all of them.
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
