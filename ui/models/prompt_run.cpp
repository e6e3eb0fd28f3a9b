#include "ui/models/prompt_run.h"

#include "core/analysis/score_heads.h"
#include "core/engine/engine.h"

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr std::size_t kPredictions = 5;

/// The full run of the question before, when it was of the same tokens.
std::shared_ptr<const Run> knownFullRun(const RunQuestion& question, const TokenIds& ids) {
    const auto& previous = question.previous;
    if (previous && previous->full->model == question.model && previous->full->ids == ids)
        return previous->full;
    return nullptr;
}

/// Where the next token is predicted: after the last position, or at the first [MASK].
std::optional<std::size_t> predictedPosition(const ModelSpec& spec, const TokenIds& ids) {
    if (spec.causal)
        return ids.size() - 1;
    if (!spec.mask_token)
        return std::nullopt;
    const auto found = std::find(ids.begin(), ids.end(), *spec.mask_token);
    if (found == ids.end())
        return std::nullopt;
    return static_cast<std::size_t>(found - ids.begin());
}

void readLogits(RunResult& result) {
    const Run& run = *result.masked;
    if (run.logits.empty())
        return;
    const ModelSpec& spec = run.model->spec;
    if (spec.causal) {
        result.full_loss = meanNextTokenLoss(result.full->logits, run.ids);
        result.masked_loss = meanNextTokenLoss(run.logits, run.ids);
        result.token_losses = nextTokenLosses(run.logits, run.ids);
    }
    result.predicted_at = predictedPosition(spec, run.ids);
    if (result.predicted_at)
        result.predictions = topPredictions(run.logits, *result.predicted_at, kPredictions);
}

} // namespace

Result<Prompt> makePrompt(const Model& model, const std::string& text, BosMode bos) {
    if (auto runnable = checkRunnable(model); !runnable)
        return runnable.error();
    if (model.tokenizer)
        return promptFromText(model, text, bos);
    auto ids = parseTokenIds(text);
    if (!ids)
        return ids.error();
    return promptFromIds(model, *std::move(ids), bos);
}

Result<std::shared_ptr<const RunResult>> runPrompt(const RunQuestion& question,
                                                   std::stop_token stop) {
    const Model& model = *question.model;
    auto prompt = makePrompt(model, question.text, question.bos);
    if (!prompt)
        return prompt.error();

    auto result = std::make_shared<RunResult>();
    result->prompt = *std::move(prompt);
    result->mask = question.mask;
    const TokenIds& ids = result->prompt.ids;
    Request request;
    request.logits = model.spec.output != OutputHead::None;

    result->full = knownFullRun(question, ids);
    if (!result->full) {
        auto run = runModel(question.model, ids, request, {}, stop);
        if (!run)
            return run.error();
        result->full = *run;
    }
    result->masked = result->full;
    if (!question.mask.empty()) {
        HookSet hooks;
        addAblation(hooks, question.mask, model.spec);
        auto run = runModel(question.model, ids, request, hooks, stop);
        if (!run)
            return run.error();
        result->masked = *run;
    }
    readLogits(*result);
    result->prompt_scores =
        std::make_shared<HeadScores>(scoreRun(*result->masked, result->prompt.has_bos));
    return std::shared_ptr<const RunResult>(result);
}

} // namespace headscope::ui
