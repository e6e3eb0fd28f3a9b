#include "core/interventions/head_effect.h"

#include "core/heads/score_sequences.h"

#include <utility>

namespace headscope {

namespace {

constexpr double kScoring = 0.5; ///< of the work, about

Result<HeadScores> scoresFor(const std::shared_ptr<const Model>& model,
                             const HeadEffectQuestion& question, const Progress& progress,
                             const std::stop_token& stop) {
    if (question.sequences.empty())
        return scoreHeads(model, question.repeats, progress, stop);
    return scoreSequences(model, question.sequences, "the tested sequences", progress, stop);
}

} // namespace

void chooseEffectKind(HeadEffectQuestion& question, std::string_view name) {
    question.preserve_patterns = name == "pattern-preserving";
    question.kind = name == "mean"       ? AblationKind::Mean
                    : name == "resample" ? AblationKind::Resample
                                         : AblationKind::Zero;
}

Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress,
                              const std::stop_token& stop) {
    auto scores = scoresFor(model, question, partOf(progress, 0.0, kScoring), stop);
    if (!scores)
        return scores.error();
    AblationEffectQuestion asked = effectQuestion(*scores, question.head);
    asked.kind = question.kind;
    asked.preserve_patterns = question.preserve_patterns;
    asked.others = question.others;
    asked.seed = question.repeats.seed;
    auto effects = ablationEffects(model, {&asked, 1}, question.sequences, question.repeats,
                                   partOf(progress, kScoring, 1.0), stop);
    if (!effects)
        return effects.error();
    return HeadEffect{*std::move(scores), std::move(effects->front())};
}

} // namespace headscope
