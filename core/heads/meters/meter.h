#pragma once

#include "core/base/per_head.h"
#include "core/engine/hooks.h"
#include "core/engine/pattern_observer.h"

#include <limits>

namespace headscope {

/// The score of what is not defined for a head.
inline constexpr double kUndefinedReading = std::numeric_limits<double>::quiet_NaN();

/// What one type found in one head on one sequence.
struct Reading {
    /// How much the score counts in a mean over sequences: at most Measurement::rows, less for a
    /// head of whose attention only a part is judged.
    double weight = 0.0;
    double score = 0.0;
    double baseline = 0.0; ///< of a head that attends evenly to all it sees
    double variant = 0.0;  ///< the second reading (HeadType::variant)
};

/// What one type found on one sequence.
struct Measurement {
    double rows = 0.0; ///< queries that were scored
    PerHead<Reading> heads;
};

/// Reads one score off every head of one run, while the run computes its patterns and without
/// keeping them. Queries count by what the mask leaves them: row q sees q + 1 keys in a causal
/// model, at most the window in a layer that has one, all in a bidirectional one.
class Meter : public PatternObserver {
public:
    /// Adds what it must see beside the patterns to the hooks of the run.
    virtual void watch(HookSet& /*hooks*/) {}
    /// After the run.
    virtual Measurement measurement() const = 0;
};

/// Up to this many positions every query is read. In a longer prompt only every second, third, …
/// one is: a mean needs no more, and to go through every weight would cost more than the run.
inline constexpr std::size_t kMostSampledRows = 128;

inline bool isSampled(std::size_t query, std::size_t positions) {
    return query % ((positions + kMostSampledRows - 1) / kMostSampledRows) == 0;
}

} // namespace headscope
