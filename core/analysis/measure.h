#pragma once

#include "core/analysis/detectors/detector.h"
#include "core/engine/pattern_observer.h"
#include "core/model/model_spec.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace headscope {

/// What one detector found on one sequence, all heads at once.
struct Measurement {
    std::vector<double> chance; ///< [layer, head], mean over scored rows of targets / visible keys
    std::vector<double> score;  ///< [layer, head]
    std::vector<double> score_from_row_2; ///< [layer, head]; NaN without such rows
};

/// Adds up what every head puts on the targets of every detector, while the patterns of a run are
/// computed and without keeping them.
class TargetAttention : public PatternObserver {
public:
    TargetAttention(const ModelSpec& spec, const ProbeSequence& sequence);

    void observe(const PatternBlock& block) override;

    /// Nothing when the sequence has no row that the
    /// detector scores, such as induction without a repeat. Row q sees the keys that the head's
    /// mask leaves it: q + 1 in a causal model, at most the window in a layer that has one, all in
    /// a bidirectional one.
    std::optional<Measurement> measurement(DetectorId id) const;

private:
    /// The queries that one detector scores, and the keys a perfect head would attend to.
    struct Targets {
        std::vector<std::size_t> queries; ///< ascending
        std::vector<std::size_t> begins;  ///< of each query's keys; one more than queries
        std::vector<std::uint32_t> keys;  ///< of all queries, one after the other
        std::vector<double> sums;         ///< [layer, head], over all scored rows
        std::vector<double> from_row_2;   ///< [layer, head], over those from query 2 on
    };
    Targets targetsOf(const Detector& detector, const ProbeSequence& sequence) const;
    double chanceOf(const Targets& targets, std::size_t layer) const;

    ModelSpec spec_;
    std::size_t positions_;
    std::map<DetectorId, Targets> targets_;
};

} // namespace headscope
