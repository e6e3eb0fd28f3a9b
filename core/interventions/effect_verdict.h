#pragma once

#include "core/heads/bootstrap.h"

#include <optional>
#include <string_view>

namespace headscope {

/// What ablating a head showed.
enum class EffectVerdict {
    Needed,     ///< it costs more than the least effect and than heads near it: a cause
    Secondary,  ///< more than the least effect, but not clearly more than heads near it
    Interferes, ///< the model does better without it, by more than the least effect
    None,       ///< what was found is less than the least effect
    Undecided,  ///< too few sequences for any of these
};

/// "needed", "secondary", "interferes", "no effect found", "undecided"
std::string_view effectVerdictName(EffectVerdict verdict);

/// The least effect that counts, in nats, unless the user gives one: the larger of 0.01 and 1 % of
/// what the whole network has.
double leastEffect(double full, std::optional<double> given = {});

/// Where the interval of a difference is. Ends that are not defined leave it unclear.
enum class EffectSide {
    Above,   ///< at or above the least effect, and above 0
    Below,   ///< at or below its negative, and below 0
    Within,  ///< between the two
    Unclear, ///< over one of them
};
EffectSide effectSide(Interval interval, double least);

} // namespace headscope
