#pragma once

#include "core/interventions/ablation_effect.h"

#include <QString>

#include <span>

namespace headscope::ui {

/// "Needed", "No effect found", …
QString verdictName(EffectVerdict verdict);

/// "induction, copying"; "no type" where a head without labels was tested.
QString effectLabels(const AblationEffect& effect);

/// Of the effects of one head on several inputs the one that says most: needed before interferes
/// before the others.
EffectVerdict clearestVerdict(std::span<const AblationEffect> effects);

} // namespace headscope::ui
