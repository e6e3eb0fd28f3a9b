#pragma once

#include "core/analysis/detectors/detector.h"
#include "core/engine/run.h"

#include <optional>
#include <vector>

namespace headscope {

/// What one detector found on one sequence, all heads at once.
struct Measurement {
    std::vector<double> chance; ///< [layer, head], mean over scored rows of targets / visible keys
    std::vector<double> score;  ///< [layer, head]
    std::vector<double> score_from_row_2; ///< [layer, head]; NaN without such rows
};

/// Nothing when the sequence has no row this detector scores, such as induction without a repeat.
/// Reads only the attention weights it needs. Row q sees the keys that the head's mask leaves it:
/// q + 1 in a causal model, at most the window in a layer that has one, all in a bidirectional one.
std::optional<Measurement> measure(const Run& run, const ProbeSequence& sequence,
                                   const Detector& detector);

} // namespace headscope
