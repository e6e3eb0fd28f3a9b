#pragma once

#include "core/attribution/score_parts.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <string>

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

/// A position of a prompt, counted from the end where it is negative. Fails where there is none.
Result<std::size_t> positionFromEnd(long position, std::size_t positions);

} // namespace headscope
