#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/head_mask.h"
#include "core/engine/loss.h"
#include "core/engine/run.h"
#include "core/heads/head_score.h"
#include "core/interventions/metric.h"
#include "core/interventions/prompt_alignment.h"
#include "core/model/model.h"
#include "core/model/prompt.h"

#include <QStringList>

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope::ui {

/// A run and what was read while it went.
struct WatchedRun {
    std::shared_ptr<const Run> run;
    std::vector<double> token_losses; ///< −ln p of each token but the first, nats; causal models
    std::vector<Prediction> predictions; ///< best first
    /// On the prompt itself; null where they were not read while it ran.
    std::shared_ptr<const HeadScores> head_scores;
    /// Where the next token is predicted, [d_vocab]; empty where nothing is predicted.
    std::vector<float> predicting_logits;
    /// The logits of a run with all heads on, [kept position, d_vocab]: all positions, or that of
    /// the predicted token if there would be too many. Empty for other runs.
    Tensor logits;
    std::optional<double> divergence; ///< of a run with ablated heads: KL from the reference, nats
    std::vector<double> divergences;  ///< likewise at each position that the reference has
};

/// The probability that a token is next, with all heads on and with the mask.
struct PredictionChange {
    TokenId id = 0;
    double before = 0.0;
    double after = 0.0;
};

/// Everything a run says that views show, computed off the GUI thread.
struct RunResult {
    Prompt prompt;
    QStringList shown_pieces; ///< of the prompt, whitespace visible
    HeadMask mask;
    std::shared_ptr<const Run> full;                ///< all heads on
    std::shared_ptr<const WatchedRun> watched_full; ///< the same with what it said
    std::shared_ptr<const Run> masked; ///< with the mask; the same as `full` when the mask is empty
    std::shared_ptr<const WatchedRun> watched_masked; ///< the same with what it said
    std::optional<double> full_loss; ///< mean next-token loss, nats; causal models only
    std::optional<double> masked_loss;
    /// −ln p of each token but the first, nats, of the masked run; empty when there is no loss.
    std::vector<double> token_losses;
    std::vector<Prediction> predictions; ///< of the masked run, best first
    /// The changes of the tokens that either run predicts, the largest probability first; none
    /// without a mask.
    std::vector<PredictionChange> prediction_changes;
    /// What the divergence is measured from; null without a mask and without logits.
    std::shared_ptr<const PromptMetric> reference;
    /// KL from the run with all heads on to the masked one, nats: the mean over the positions that
    /// the reference has. None without a mask.
    std::optional<double> divergence;
    std::optional<std::size_t> predicted_at; ///< the position they belong to: last, or first [MASK]
    /// On the user's own prompt, masked run; null where they were not read while it ran.
    std::shared_ptr<const HeadScores> prompt_scores;
};

/// What to run. What `previous` found with all heads on, or with the same mask, is not computed
/// again: all of it for the same prompt, its start for one that begins alike.
struct RunQuestion {
    std::shared_ptr<const Model> model;
    std::string text;
    BosMode bos = BosMode::Auto;
    HeadMask mask;
    std::shared_ptr<const RunResult> previous;
    /// Read the types of the heads while it runs, unless it is so long that its picture would have
    /// to wait for them.
    bool reads_types = true;
};

/// "14 ·to"
QString positionName(const RunResult& result, std::size_t position);

/// What the mask adds to the loss of each token but the first, nats; empty without losses or mask.
std::vector<double> tokenLossChanges(const RunResult& result);

/// Whether the KL divergence is that of the predicted token alone, as the prompt is long.
bool isDivergenceOfLastToken(const RunResult& result);

Result<std::shared_ptr<const RunResult>>
runPrompt(const RunQuestion& question, const std::stop_token& stop, const Progress& progress = {});

/// RunResult::prompt_scores, read off a run after it.
Result<HeadScores> readPromptScores(const RunResult& result, const std::stop_token& stop);

/// Which of two compared runs is on screen.
enum class Side {
    A,
    B,
    Difference, ///< B − A, at the tokens of A
};

/// "A", "B", "B − A"
QString sideName(Side side);

/// What maps of heads are drawn of: one run, or how far another is from it.
struct PatternSource {
    std::shared_ptr<const RunResult> result; ///< its tokens are rows and columns; null: nothing ran
    /// Maps are those of `other` less those of `result`; null: those of `result`.
    std::shared_ptr<const RunResult> other;
    /// [position of result] → that of other
    std::shared_ptr<const TokenAlignment> other_of;
    std::optional<Side> side; ///< none: nothing is compared

    bool operator==(const PatternSource&) const = default;

    /// One label per row; where other tokens match them, both: "·Mary → ·Anna".
    QStringList labels() const;
};

} // namespace headscope::ui
