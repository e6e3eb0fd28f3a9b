#pragma once

#include "core/base/per_head.h"
#include "core/heads/score_sequences.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// {"sequences": [{TYPE: {"readings": [weight, score, baseline and variant of each head], "rows":
/// number}}]} on one line, heads in their order, which reads back to the bit.
std::string scorePartText(std::span<const SequenceReading> readings);

/// Nothing for a text that does not hold readings of `sequences` sequences and of these heads.
std::optional<std::vector<SequenceReading>>
readScorePart(std::string_view text, const HeadIndex& heads, std::size_t sequences);

} // namespace headscope
