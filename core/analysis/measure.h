#pragma once

#include "core/analysis/detectors/detector.h"
#include "core/engine/run.h"

#include <optional>
#include <vector>

namespace headscope {

/// What one detector found on one sequence, all heads at once.
struct Measurement {
    double chance = 0.0;                  ///< mean over scored rows of target keys / visible keys
    std::vector<double> score;            ///< [layer, head]
    std::vector<double> score_from_row_2; ///< [layer, head]; NaN without such rows
};

/// Nothing when the sequence has no row this detector scores, such as induction without a repeat.
/// Reads only the attention weights it needs. Rows see q + 1 keys in a causal model, all keys in a
/// bidirectional one.
std::optional<Measurement> measure(const Run& run, const ProbeSequence& sequence,
                                   const Detector& detector);

} // namespace headscope
