#pragma once

#include "core/base/result.h"
#include "core/heads/head_score.h"
#include "core/model/model.h"

#include <span>
#include <string>
#include <vector>

namespace headscope {

struct AskedScores {
    HeadScores scores;
    std::vector<std::string> notes; ///< a sentence for each type that could not be measured
};

/// onlyTypes() for people, who are told why a type that they asked for is not there. Fails with
/// that sentence where none of them is.
Result<AskedScores> askedTypes(const HeadScores& scores, std::span<const std::string> keys,
                               const ModelSpec& spec);

} // namespace headscope
