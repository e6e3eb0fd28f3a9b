#pragma once

#include "core/base/layer_head.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class DetectorId { Previous, Induction, Duplicate, Current, Sink };

/// A measured score with everything needed to judge it.
struct HeadScore {
    LayerHead head;
    DetectorId detector = DetectorId::Previous;
    double score = 0.0;  ///< mean attention on the detector's target, 0..1; NaN: not defined here
    double chance = 0.0; ///< of a head that attends uniformly to all it can see
    double low = 0.0;    ///< 95 % bootstrap interval over sequences
    double high = 0.0;
    /// Score over queries from 2 on: row 1 of a causal model sees only positions 0 and 1, where
    /// "previous" and "sink" are the same key.
    double score_from_row_2 = 0.0;

    /// 0 at chance, 1 at a perfect head.
    double aboveChance() const { return (score - chance) / (1.0 - chance); }
};

/// All scores of one model on one kind of input.
struct HeadScores {
    std::size_t n_layers = 0;
    std::size_t n_heads = 0;
    std::vector<DetectorId> detectors;
    std::vector<HeadScore> scores; ///< detector-major, then layer, then head
    std::string input;             ///< "10 random sequences of 50 tokens, repeated, seed 0"
    std::string bos;               ///< "with BOS (id 0)", "without BOS"
    std::size_t sequences = 0;

    const HeadScore& at(DetectorId detector, LayerHead head) const;
};

/// A movable threshold per detector. The defaults lie where the 128 heads of the four trained
/// sample models, probed with repeated random tokens, leave a gap, so that a label does not hang on
/// the seed: no previous score lies between .38 and .51, no induction score between .16 and .39, no
/// duplicate score between .30 and .67, no current score between .44 and .54. Sink scores have no
/// such gap; many pile up at .5, where heads are that rest on BOS until something repeats, and .45
/// takes them in.
struct Thresholds {
    double previous = 0.4;
    double induction = 0.3;
    double duplicate = 0.4;
    double current = 0.5;
    double sink = 0.45;

    double& of(DetectorId detector);
    double of(DetectorId detector) const;
    bool operator==(const Thresholds&) const = default;
};

/// The types of one head, strongest first: scores at or above their threshold whose interval lies
/// above chance.
std::vector<DetectorId> labels(const HeadScores& scores, LayerHead head,
                               const Thresholds& thresholds);

} // namespace headscope
