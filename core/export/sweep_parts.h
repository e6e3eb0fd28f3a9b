#pragma once

#include "core/interventions/sweep_steps.h"

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// {"full": number, "values": [a number for each unit of the step]} on one line, which reads back
/// to the bit.
std::string sweepPartText(const SweepPart& part);

/// Nothing for what is no part of this step.
std::optional<SweepPart> readSweepPart(std::string_view text, const SweepStep& step);

} // namespace headscope
