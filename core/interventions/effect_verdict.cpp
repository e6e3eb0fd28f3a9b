#include "core/interventions/effect_verdict.h"

#include <algorithm>
#include <cmath>

namespace headscope {

std::string_view effectVerdictName(EffectVerdict verdict) {
    switch (verdict) {
    case EffectVerdict::Needed:
        return "needed";
    case EffectVerdict::Secondary:
        return "secondary";
    case EffectVerdict::Interferes:
        return "interferes";
    case EffectVerdict::None:
        return "no effect found";
    case EffectVerdict::Undecided:
        break;
    }
    return "undecided";
}

double leastEffect(double full, std::optional<double> given) {
    constexpr double kNats = 0.01;
    constexpr double kShare = 0.01;
    return given.value_or(std::max(kNats, kShare * std::abs(full)));
}

EffectSide effectSide(Interval interval, double least) {
    // Written so that NaN is unclear.
    if (interval.low >= least && interval.low > 0.0)
        return EffectSide::Above;
    if (interval.high <= -least && interval.high < 0.0)
        return EffectSide::Below;
    return interval.low >= -least && interval.high <= least ? EffectSide::Within
                                                            : EffectSide::Unclear;
}

} // namespace headscope
