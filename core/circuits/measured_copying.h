#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"

#include <cstddef>
#include <stop_token>
#include <vector>

namespace headscope {

/// Copying heads with both measures.
struct MeasuredCopying {
    std::vector<HeadCopying> heads;        ///< highest score first, those without one last
    std::vector<MatchAccuracy> accuracies; ///< one per head
    VocabularySample sample;               ///< what they were measured on
};

/// The `most` heads with the highest copyingScores(), and how often each one's best token is the
/// one it attends to, of 1,000 sampled tokens. Fails as copyingScores() does.
Result<MeasuredCopying> measureCopying(const FoldedWeights& weights, std::size_t most,
                                       const Progress& progress = {},
                                       const std::stop_token& stop = {});

} // namespace headscope
