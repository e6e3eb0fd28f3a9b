#pragma once

#include "core/base/table.h"
#include "core/heads/head_score.h"

#include <cstddef>
#include <string>

namespace headscope {

/// How many labels to expect by chance where every head is looked at for every type.
struct ExpectedFalse {
    /// At most; the largest p-value among the labels, adjusted for all tests by Benjamini and
    /// Hochberg (1995), times their number.
    double count = 0.0;
    std::size_t labels = 0; ///< that have a p-value; those of weights have none
    std::size_t tests = 0;  ///< heads × types with a p-value
};

ExpectedFalse expectedFalse(const HeadScores& scores, const Thresholds& thresholds);

/// {"count", "labels", "tests"}
Record expectedFalseRecord(const ExpectedFalse& expected);

/// "at most 0.3 of 41 labels are expected to be chance (Benjamini–Hochberg over 1344 tests)"; empty
/// without labels.
std::string expectedFalseText(const ExpectedFalse& expected);

} // namespace headscope
