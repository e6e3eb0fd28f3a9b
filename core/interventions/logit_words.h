#pragma once

#include "core/attribution/stream_reading.h"
#include "core/base/result.h"

#include <optional>
#include <string>

namespace headscope {

/// A logit, or how far it is above another, as a user asks for it.
struct LogitWords {
    std::string token;
    std::optional<std::string> against;
    std::optional<long> position; ///< counted from the end where negative; none: the last
};

/// Texts of tokens are looked up with the tokenizer; with `as_ids` they are token ids. Fails for
/// what is not there.
Result<LogitTarget> readLogitTarget(const StreamRun& run, const LogitWords& words, bool as_ids);

} // namespace headscope
