#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/score_trace.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// One entry of a head's scores as a user asks for it.
struct ScoreWords {
    std::string head;               ///< "4.1"
    std::optional<long> query = {}; ///< counted from the end where negative; none: the last
    std::optional<long> key = {};   ///< likewise; none: the one with the largest weight
    std::string against = "others"; ///< "others", "none", or the position of another key
};

/// Fails for what is not there.
Result<ScoreQuestion> readScoreQuestion(const StreamRun& run, const ScoreWords& words);

/// "3.5:7": a head of a trace, and the position at which it wrote, counted from the end where it is
/// negative. Fails for what is not there.
Result<TracePlace> readTracePlace(const StreamRun& run, std::string_view text);

/// A position of a prompt, counted from the end where it is negative. Fails where there is none.
Result<std::size_t> positionFromEnd(long position, std::size_t positions);

} // namespace headscope
