#pragma once

#include "core/interventions/ablation_effect.h"
#include "core/interventions/effect_verdict.h"

#include <string>

namespace headscope {

/// What a verdict is said of.
struct EffectWords {
    std::string ablating; ///< "ablating it by mean"
    std::string rank;     ///< "more than 8 of 10 other heads near it"
    std::string them;     ///< "it", "them"
};

/// "Needed: ablating it by mean raises the loss by 1.930 nats (95 % 1.710 to 2.150, 10 sequences),
/// more than 8 of 10 other heads near it."
std::string verdictSentence(EffectVerdict verdict, const EffectReading& reading,
                            const EffectWords& words);

} // namespace headscope
