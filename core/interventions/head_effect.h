#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/heads/score_heads.h"
#include "core/interventions/ablation_effect.h"

#include <memory>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

/// The effect of ablating a head whose types are still to be found.
struct HeadEffectQuestion {
    LayerHead head;
    AblationKind kind = AblationKind::Mean;
    bool preserve_patterns = false;            ///< AblationEffectQuestion
    std::size_t others = 10;                   ///< likewise
    std::vector<InputSequence> sequences = {}; ///< empty: what its first type is read from
    RepeatOptions repeats = {};                ///< whose seed also draws the others
};

/// What stands in, by the name that users give it: mean, zero, resample or pattern-preserving.
void chooseEffectKind(HeadEffectQuestion& question, std::string_view name);

struct HeadEffect {
    HeadScores scores; ///< of all heads, on the same sequences
    AblationEffect effect;
};

/// Scores all heads, so that heads of its type are no comparison, and measures the effect of this
/// one. Fails as scoreHeads(), scoreSequences() and ablationEffects() do.
Result<HeadEffect> headEffect(const std::shared_ptr<const Model>& model,
                              const HeadEffectQuestion& question, const Progress& progress = {},
                              const std::stop_token& stop = {});

} // namespace headscope
