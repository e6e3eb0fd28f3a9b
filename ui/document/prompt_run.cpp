#include "ui/document/prompt_run.h"

#include "core/engine/engine.h"
#include "core/heads/score_sequences.h"
#include "core/tensor/parallel.h"
#include "ui/document/token_groups.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::size_t kPredictions = 5;
/// The logits of the whole model are kept up to here, for the divergence at every position.
constexpr std::size_t kMostReferenceBytes = std::size_t{64} << 20;

/// The full run of the question before, when it was of the same tokens.
std::shared_ptr<const WatchedRun> knownFullRun(const RunQuestion& question, const TokenIds& ids) {
    const auto& previous = question.previous;
    if (previous && previous->full->model == question.model && previous->full->ids == ids)
        return previous->watched_full;
    return nullptr;
}

/// Where the KL divergence is measured, ascending: at all positions, of a long prompt at the
/// predicted token alone; nowhere without logits.
std::vector<std::size_t> divergencePositions(const ModelSpec& spec, const TokenIds& ids) {
    std::vector<std::size_t> positions;
    if (spec.output == OutputHead::None)
        return positions;
    if (ids.size() * spec.outputs() * sizeof(float) > kMostReferenceBytes) {
        if (const auto predicted_at = predictedPosition(spec, ids))
            positions.push_back(*predicted_at);
        return positions;
    }
    positions.resize(ids.size());
    std::iota(positions.begin(), positions.end(), std::size_t{0});
    return positions;
}

/// Made when the first head is ablated: a prompt that is typed needs none. Null without positions.
std::shared_ptr<const PromptMetric> referenceOf(const WatchedRun& whole) {
    const ModelSpec& spec = whole.run->model->spec;
    const TokenIds& ids = whole.run->ids;
    const std::vector<std::size_t> positions = divergencePositions(spec, ids);
    if (positions.empty())
        return nullptr;
    Metric metric;
    metric.kind = MetricKind::Kl;
    if (positions.size() < ids.size())
        metric.position = positions.front();
    auto reference = PromptMetric::make(metric, spec, ids);
    if (!reference)
        return nullptr;
    parallelFor(positions.size(), [&](std::size_t row, std::size_t) {
        reference->keepReference(positions[row], {whole.logits.matrix().row(row), spec.outputs()});
    });
    return std::make_shared<const PromptMetric>(*std::move(reference));
}

/// That of the question before, when it was made from the same run.
std::shared_ptr<const PromptMetric> knownReference(const RunQuestion& question,
                                                   const WatchedRun& whole) {
    const auto& previous = question.previous;
    return previous && previous->watched_full.get() == &whole ? previous->reference : nullptr;
}

/// Logits are read as they come; of the run with all heads on those are kept that `reference` will
/// be made from, which other runs are measured against.
Result<std::shared_ptr<const WatchedRun>> watch(const RunQuestion& question, const Prompt& prompt,
                                                const HeadMask& mask, const PromptMetric* reference,
                                                const std::stop_token& stop) {
    const ModelSpec& spec = question.model->spec;
    const std::vector<std::size_t> positions = divergencePositions(spec, prompt.ids);
    auto watched = std::make_shared<WatchedRun>();
    if (mask.empty())
        watched->logits = Tensor::uninitialised({positions.size(), spec.outputs()});
    std::optional<MetricReading> divergence;
    if (reference)
        divergence.emplace(*reference);

    PromptScores scores(question.model, prompt.ids, prompt.has_bos);
    LogitReader reader(spec, prompt.ids, kPredictions);
    RunItem item;
    item.ids = prompt.ids;
    item.observers = {&scores};
    scores.watch(item.hooks);
    if (spec.output != OutputHead::None)
        item.read_logits = [&](std::size_t position, std::span<const float> logits) {
            reader.read(position, logits);
            const auto at = std::ranges::lower_bound(positions, position);
            if (at == positions.end() || *at != position)
                return;
            if (divergence)
                divergence->read(position, logits);
            if (mask.empty())
                std::ranges::copy(logits, watched->logits.matrix().row(
                                              static_cast<std::size_t>(at - positions.begin())));
        };
    addAblation(item.hooks, mask, spec);
    Request request;
    request.logits = false;
    auto runs = runBatch(question.model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();

    watched->run = runs->front();
    if (item.read_logits) {
        watched->token_losses = reader.losses();
        watched->predictions = reader.predictions();
        watched->predicting_logits = reader.predicting();
    }
    if (divergence)
        watched->divergence = divergence->value();
    watched->head_scores = std::make_shared<HeadScores>(scores.scores());
    return std::shared_ptr<const WatchedRun>(std::move(watched));
}

/// What either run predicts, the largest probability first.
std::vector<PredictionChange> predictionChanges(const WatchedRun& whole, const WatchedRun& masked) {
    std::vector<PredictionChange> changes;
    const auto known = [&](TokenId id) {
        return std::ranges::find(changes, id, &PredictionChange::id) != changes.end();
    };
    for (const WatchedRun* run : {&whole, &masked})
        for (const Prediction& prediction : run->predictions)
            if (!known(prediction.id))
                changes.push_back({prediction.id,
                                   std::exp(-tokenLoss(whole.predicting_logits, prediction.id)),
                                   std::exp(-tokenLoss(masked.predicting_logits, prediction.id))});
    std::ranges::stable_sort(changes, std::ranges::greater(), [](const PredictionChange& change) {
        return std::max(change.before, change.after);
    });
    return changes;
}

} // namespace

QString positionName(const RunResult& result, std::size_t position) {
    return QStringLiteral("%1 %2").arg(position).arg(
        result.shown_pieces[static_cast<qsizetype>(position)]);
}

std::vector<double> tokenLossChanges(const RunResult& result) {
    std::vector<double> changes;
    if (!result.mask.empty())
        std::ranges::transform(result.token_losses, result.watched_full->token_losses,
                               std::back_inserter(changes), std::minus());
    return changes;
}

bool isDivergenceOfLastToken(const RunResult& result) {
    return result.reference && result.reference->positions().size() < result.prompt.ids.size();
}

Result<std::shared_ptr<const RunResult>> runPrompt(const RunQuestion& question,
                                                   std::stop_token stop) {
    const Model& model = *question.model;
    auto prompt = promptFromInput(model, question.text, question.bos);
    if (!prompt)
        return prompt.error();

    auto result = std::make_shared<RunResult>();
    result->prompt = *std::move(prompt);
    result->shown_pieces = shownPieces(result->prompt);
    result->mask = question.mask;
    auto full = knownFullRun(question, result->prompt.ids);
    if (!full) {
        auto run = watch(question, result->prompt, {}, nullptr, stop);
        if (!run)
            return run.error();
        full = *std::move(run);
    }
    auto masked = full;
    if (!question.mask.empty()) {
        result->reference = knownReference(question, *full);
        if (!result->reference)
            result->reference = referenceOf(*full);
        auto run = watch(question, result->prompt, question.mask, result->reference.get(), stop);
        if (!run)
            return run.error();
        masked = *std::move(run);
        result->prediction_changes = predictionChanges(*full, *masked);
        result->divergence = masked->divergence;
    }
    result->full = full->run;
    result->watched_full = full;
    result->masked = masked->run;
    result->full_loss = meanLoss(full->token_losses);
    result->masked_loss = meanLoss(masked->token_losses);
    result->token_losses = masked->token_losses;
    if (!masked->predictions.empty())
        result->predicted_at = predictedPosition(model.spec, result->prompt.ids);
    result->predictions = masked->predictions;
    result->prompt_scores = masked->head_scores;
    return std::shared_ptr<const RunResult>(result);
}

} // namespace headscope::ui
