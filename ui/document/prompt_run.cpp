#include "ui/document/prompt_run.h"

#include "core/engine/engine.h"
#include "core/heads/score_sequences.h"
#include "ui/tables/head_text.h"

#include <numeric>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::size_t kPredictions = 5;

/// The full run of the question before, when it was of the same tokens.
std::shared_ptr<const WatchedRun> knownFullRun(const RunQuestion& question, const TokenIds& ids) {
    const auto& previous = question.previous;
    if (previous && previous->full->model == question.model && previous->full->ids == ids)
        return previous->watched_full;
    return nullptr;
}

/// Logits are read as they come and not kept: they would be most of the memory of a long prompt.
Result<std::shared_ptr<const WatchedRun>> watch(const std::shared_ptr<const Model>& model,
                                                const Prompt& prompt, const HeadMask& mask,
                                                const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    PromptScores scores(model, prompt.ids, prompt.has_bos);
    LogitReader reader(spec, prompt.ids, kPredictions);
    RunItem item;
    item.ids = prompt.ids;
    item.observers = {&scores};
    scores.watch(item.hooks);
    if (spec.output != OutputHead::None)
        item.read_logits = [&](std::size_t position, std::span<const float> logits) {
            reader.read(position, logits);
        };
    addAblation(item.hooks, mask, spec);
    Request request;
    request.logits = false;
    auto runs = runBatch(model, {&item, 1}, request, stop);
    if (!runs)
        return runs.error();

    auto watched = std::make_shared<WatchedRun>();
    watched->run = runs->front();
    if (item.read_logits) {
        watched->token_losses = reader.losses();
        watched->predictions = reader.predictions();
    }
    watched->head_scores = std::make_shared<HeadScores>(scores.scores());
    return std::shared_ptr<const WatchedRun>(std::move(watched));
}

std::optional<double> meanOf(const std::vector<double>& losses) {
    if (losses.empty())
        return std::nullopt;
    return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

} // namespace

Result<std::shared_ptr<const RunResult>> runPrompt(const RunQuestion& question,
                                                   std::stop_token stop) {
    const Model& model = *question.model;
    auto prompt = promptFromInput(model, question.text, question.bos);
    if (!prompt)
        return prompt.error();

    auto result = std::make_shared<RunResult>();
    result->prompt = *std::move(prompt);
    for (const std::string& piece : result->prompt.pieces)
        result->shown_pieces << toQString(displayPiece(piece));
    result->mask = question.mask;
    auto full = knownFullRun(question, result->prompt.ids);
    if (!full) {
        auto run = watch(question.model, result->prompt, {}, stop);
        if (!run)
            return run.error();
        full = *std::move(run);
    }
    auto masked = full;
    if (!question.mask.empty()) {
        auto run = watch(question.model, result->prompt, question.mask, stop);
        if (!run)
            return run.error();
        masked = *std::move(run);
    }
    result->full = full->run;
    result->watched_full = full;
    result->masked = masked->run;
    result->full_loss = meanOf(full->token_losses);
    result->masked_loss = meanOf(masked->token_losses);
    result->token_losses = masked->token_losses;
    if (!masked->predictions.empty())
        result->predicted_at = predictedPosition(model.spec, result->prompt.ids);
    result->predictions = masked->predictions;
    result->prompt_scores = masked->head_scores;
    return std::shared_ptr<const RunResult>(result);
}

} // namespace headscope::ui
