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

/// The share of all attention that the first key gets: the mean of its column [query]. The first
/// entry does not count, since it is 1 in causal networks. 0 where there is no other entry.
double shareOfFirstKey(std::span<const float> column);

bool hidesFirstKey(FirstKey choice, double share);

/// The less attention remains without the first key, the finer the scale. It is linear where the
/// first key is shown, and where rows are rescaled.
ValueScale fittingScale(bool is_hidden, bool rows_are_rescaled, double share);

} // namespace headscope
