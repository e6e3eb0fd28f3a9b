#pragma once

#include "core/base/colour_map.h"

#include <span>

namespace headscope {

/// Whether the first key is left out, on which many heads rest when they find nothing (Xiao et al.
/// 2023).
enum class FirstKey {
    Automatic, ///< where it holds more than half of the attention
    Hidden,
    Shown,
};

/// What the first key gets of all attention: the mean of its column [query], whose first entry is
/// 1 in causal networks and does not count. 0 where there is no other.
double shareOfFirstKey(std::span<const float> column);

bool hidesFirstKey(FirstKey choice, double share);

/// The finer, the less is left without the first key; linear where it is shown, or where rows are
/// divided by what is left of them.
ValueScale fittingScale(bool is_hidden, bool rows_are_rescaled, double share);

} // namespace headscope
