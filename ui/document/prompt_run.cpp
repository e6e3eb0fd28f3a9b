#include "ui/document/prompt_run.h"

#include "core/engine/engine.h"
#include "core/engine/run_item.h"
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
/// The types of the heads are read while prompts up to here run.
constexpr std::size_t kMostTokensReadMeanwhile = 128;

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

/// What the previous run knows of a prompt that begins with the same tokens.
struct Before {
    KnownStart known;
    std::shared_ptr<const WatchedRun> watched; ///< whose run that is

    std::size_t positions() const { return known.positions; }
};

/// At how many positions a run kept what the divergence needs.
std::size_t keptPositions(const WatchedRun& watched) {
    return std::max(watched.divergences.size(),
                    watched.logits.empty() ? std::size_t{0} : watched.logits.dim(0));
}

/// Nothing where `watched` is null, of another model, or kept less than is asked for.
Before beforeOf(const std::shared_ptr<const WatchedRun>& watched,
                const std::shared_ptr<const Model>& model, const TokenIds& ids) {
    if (!watched || watched->run->model != model)
        return {};
    const Before before{knownStart(watched->run, ids), watched};
    const std::vector<std::size_t> asked = divergencePositions(model->spec, ids);
    const bool asks_known = !asked.empty() && asked.front() < before.positions();
    if (asks_known && keptPositions(*watched) < watched->run->positions())
        return {};
    return before;
}

/// Has the heads scored while the prompt runs.
void watch(PromptScores& scores, RunItem& item) {
    item.observers = {&scores};
    scores.watch(item.hooks);
}

/// Takes what one run of the prompt says: logits are read as they come; of the run with all heads
/// on those are kept that `reference` will be made from, which other runs are measured against.
class Watch {
public:
    Watch(const RunQuestion& question, const Prompt& prompt, const HeadMask& mask,
          const PromptMetric* reference, Before before, Progress progress)
        : question_(question), prompt_(prompt), mask_(mask), before_(std::move(before)),
          progress_(std::move(progress)),
          positions_(divergencePositions(question.model->spec, prompt.ids)),
          reader_(question.model->spec, prompt.ids, kPredictions) {
        if (question.reads_types && prompt.ids.size() <= kMostTokensReadMeanwhile)
            scores_.emplace(question.model, prompt.ids, prompt.has_bos);
        if (reference)
            divergence_.emplace(*reference);
        if (mask.empty())
            logits_ = Tensor::uninitialised({positions_.size(), question.model->spec.outputs()});
        takeBefore();
    }

    Result<std::shared_ptr<const WatchedRun>> operator()(const std::stop_token& stop) {
        const ModelSpec& spec = question_.model->spec;
        RunItem item;
        item.ids = prompt_.ids;
        item.known = before_.known;
        if (scores_)
            watch(*scores_, item);
        if (spec.output != OutputHead::None)
            item.read_logits = [this](std::size_t position, std::span<const float> logits) {
                read(position, logits);
            };
        addAblation(item.hooks, mask_, spec);
        Request request;
        request.logits = false;
        request.keep_values = spec.causal;
        request.progress = progress_;
        auto runs = runBatch(question_.model, {&item, 1}, request, stop);
        if (!runs)
            return runs.error();
        return found(runs->front());
    }

private:
    /// Whether the divergence is read here, or what it is measured from.
    bool isAsked(std::size_t position) const {
        return std::ranges::binary_search(positions_, position);
    }

    /// [d_vocab], of a position that is asked for.
    float* logitsAt(std::size_t position) {
        const auto at = std::ranges::lower_bound(positions_, position) - positions_.begin();
        return logits_.matrix().row(static_cast<std::size_t>(at));
    }

    void takeBefore() {
        if (before_.positions() == 0)
            return;
        const WatchedRun& watched = *before_.watched;
        if (!watched.token_losses.empty())
            reader_.know(std::span(watched.token_losses).first(before_.positions()));
        for (std::size_t position = 0; position < before_.positions(); ++position) {
            if (!isAsked(position))
                continue;
            if (divergence_)
                divergence_->know(position, watched.divergences[position]);
            if (mask_.empty())
                std::ranges::copy_n(watched.logits.matrix().row(position),
                                    static_cast<std::ptrdiff_t>(logits_.dim(1)),
                                    logitsAt(position));
        }
    }

    /// Several threads at a time.
    void read(std::size_t position, std::span<const float> logits) {
        reader_.read(position, logits);
        if (!isAsked(position))
            return;
        if (divergence_)
            divergence_->read(position, logits);
        if (mask_.empty())
            std::ranges::copy(logits, logitsAt(position));
    }

    std::shared_ptr<const WatchedRun> found(std::shared_ptr<const Run> run) {
        auto watched = std::make_shared<WatchedRun>();
        watched->run = std::move(run);
        if (scores_)
            watched->head_scores = std::make_shared<HeadScores>(scores_->scores());
        watched->logits = std::move(logits_);
        if (question_.model->spec.output != OutputHead::None) {
            watched->token_losses = reader_.losses();
            watched->predictions = reader_.predictions();
            watched->predicting_logits = reader_.predicting();
        }
        if (divergence_) {
            watched->divergence = divergence_->value();
            std::ranges::transform(positions_, std::back_inserter(watched->divergences),
                                   [this](std::size_t at) { return divergence_->at(at); });
        }
        return watched;
    }

    const RunQuestion& question_;
    const Prompt& prompt_;
    const HeadMask& mask_;
    Before before_;
    Progress progress_;
    std::vector<std::size_t> positions_; ///< that are asked for, ascending
    std::optional<PromptScores> scores_; ///< read meanwhile
    LogitReader reader_;
    std::optional<MetricReading> divergence_; ///< of a run with ablated heads
    Tensor logits_;                           ///< WatchedRun::logits
};

/// The run of the question before that ablated the same heads, each position for itself.
std::shared_ptr<const WatchedRun> maskedBefore(const RunQuestion& question) {
    const auto& previous = question.previous;
    if (!previous || previous->mask != question.mask || question.mask.hangsOnWholeText())
        return nullptr;
    return previous->watched_masked;
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

Result<std::shared_ptr<const RunResult>>
runPrompt(const RunQuestion& question, const std::stop_token& stop, const Progress& progress) {
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
        const auto& previous = question.previous;
        const HeadMask none;
        auto run = Watch(question, result->prompt, none, nullptr,
                         beforeOf(previous ? previous->watched_full : nullptr, question.model,
                                  result->prompt.ids),
                         partOf(progress, 0.0, question.mask.empty() ? 1.0 : 0.5))(stop);
        if (!run)
            return run.error();
        full = *std::move(run);
    }
    auto masked = full;
    if (!question.mask.empty()) {
        result->reference = knownReference(question, *full);
        if (!result->reference)
            result->reference = referenceOf(*full);
        auto run = Watch(question, result->prompt, question.mask, result->reference.get(),
                         beforeOf(maskedBefore(question), question.model, result->prompt.ids),
                         partOf(progress, 0.5, 1.0))(stop);
        if (!run)
            return run.error();
        masked = *std::move(run);
        result->prediction_changes = predictionChanges(*full, *masked);
        result->divergence = masked->divergence;
    }
    result->full = full->run;
    result->watched_full = full;
    result->masked = masked->run;
    result->watched_masked = masked;
    result->full_loss = meanLoss(full->token_losses);
    result->masked_loss = meanLoss(masked->token_losses);
    result->token_losses = masked->token_losses;
    if (!masked->predictions.empty())
        result->predicted_at = predictedPosition(model.spec, result->prompt.ids);
    result->predictions = masked->predictions;
    result->prompt_scores = masked->head_scores;
    return std::shared_ptr<const RunResult>(result);
}

Result<HeadScores> readPromptScores(const RunResult& result, const std::stop_token& stop) {
    const auto& run = result.masked;
    PromptScores scores(run->model, run->ids, result.prompt.has_bos);
    RunItem item;
    item.ids = run->ids;
    if (!result.mask.hangsOnWholeText())
        item.known = knownStart(run, run->ids);
    watch(scores, item);
    addAblation(item.hooks, result.mask, run->model->spec);
    Request request;
    request.logits = false;
    request.keep_values = run->model->spec.causal;
    const auto runs = runBatch(run->model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();
    return scores.scores();
}

QString sideName(Side side) {
    switch (side) {
    case Side::A:
        return QStringLiteral("A");
    case Side::B:
        return QStringLiteral("B");
    case Side::Difference:
        break;
    }
    return QStringLiteral("B − A");
}

QStringList PatternSource::labels() const {
    QStringList labels = result->shown_pieces;
    if (!other)
        return labels;
    for (std::size_t position = 0; position < other_of->size(); ++position) {
        const auto counterpart = (*other_of)[position];
        QString& label = labels[static_cast<qsizetype>(position)];
        if (!counterpart)
            continue;
        const QString& piece = other->shown_pieces[static_cast<qsizetype>(*counterpart)];
        if (piece != label)
            label += QStringLiteral(" → ") + piece;
    }
    return labels;
}

} // namespace headscope::ui
