#include "core/analysis/head_score.h"

#include <algorithm>
#include <cassert>

namespace headscope {

const HeadScore& HeadScores::at(DetectorId detector, LayerHead head) const {
    const auto found = std::find(detectors.begin(), detectors.end(), detector);
    assert(found != detectors.end() && head.layer < n_layers && head.head < n_heads);
    const auto index = static_cast<std::size_t>(found - detectors.begin());
    return scores[(index * n_layers + head.layer) * n_heads + head.head];
}

double& Thresholds::of(DetectorId detector) {
    switch (detector) {
    case DetectorId::Previous:
        return previous;
    case DetectorId::Induction:
        return induction;
    case DetectorId::Duplicate:
        return duplicate;
    case DetectorId::Current:
        return current;
    case DetectorId::Sink:
        break;
    }
    return sink;
}

double Thresholds::of(DetectorId detector) const {
    Thresholds copy = *this;
    return copy.of(detector);
}

std::vector<DetectorId> labels(const HeadScores& scores, LayerHead head,
                               const Thresholds& thresholds) {
    std::vector<DetectorId> found;
    for (const DetectorId detector : scores.detectors) {
        const HeadScore& score = scores.at(detector, head);
        // Written so that NaN fails.
        if (score.score >= thresholds.of(detector) && score.low > score.chance)
            found.push_back(detector);
    }
    std::stable_sort(found.begin(), found.end(), [&](DetectorId a, DetectorId b) {
        return scores.at(a, head).aboveChance() > scores.at(b, head).aboveChance();
    });
    return found;
}

} // namespace headscope
