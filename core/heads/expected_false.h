#pragma once

#include "core/base/table.h"
#include "core/heads/head_score.h"

#include <cstddef>
#include <string>

namespace headscope {

/// How many labels to expect by chance where every head is looked at for every type.
struct ExpectedFalse {
    /// The largest p-value among the labels, adjusted for all tests by Benjamini and Hochberg
    /// (1995), times their number. Labels are not all that is as unlikely, and so it is no bound.
    double count = 0.0;
    std::size_t labels = 0; ///< that have a p-value; those of weights have none
    std::size_t tests = 0;  ///< heads × types with a p-value
};

ExpectedFalse expectedFalse(const HeadScores& scores, const Thresholds& thresholds);

/// {"count", "labels", "tests"}
Record expectedFalseRecord(const ExpectedFalse& expected);

/// "of the model’s 41 labels, about 0.3 are expected to be chance (Benjamini–Hochberg, 1344
/// tests)"; empty without labels.
std::string expectedFalseText(const ExpectedFalse& expected);

} // namespace headscope
