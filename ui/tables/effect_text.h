#pragma once

#include "core/interventions/ablation_effect.h"

#include <QString>

#include <span>

namespace headscope::ui {

/// "Needed", "No effect found", …
QString verdictName(EffectVerdict verdict);

/// "induction, copying"; "no type" where a head without labels was tested.
QString effectLabels(const AblationEffect& effect);

/// The verdict that says most among the effects of one head on several inputs: needed before
/// interferes before the others.
EffectVerdict clearestVerdict(std::span<const AblationEffect> effects);

} // namespace headscope::ui
