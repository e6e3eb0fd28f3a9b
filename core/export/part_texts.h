#pragma once

#include "core/base/per_head.h"
#include "core/heads/score_sequences.h"
#include "core/interventions/sweep.h"
#include "core/verify/report.h"

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

/// {"full": number, "values": [a number for each unit of the step]} on one line, which reads back
/// to the bit.
std::string sweepPartText(const SweepPart& part);

/// Nothing for what is no part of this step.
std::optional<SweepPart> readSweepPart(std::string_view text, const SweepStep& step);

/// A report with one section on one line: {"blas", "checks": [{"expected", "explanation",
/// "measured", "name", "outcome"}], "kernels", "name", "threads"}. The rest of the report is not
/// in it.
std::string sectionPartText(const VerifyReport& report);

/// The same back: machine and section of a report; nothing for anything else.
std::optional<VerifyReport> readSectionPart(std::string_view text);

} // namespace headscope
