#include "core/analysis/detectors/occurrences.h"
#include "core/analysis/detectors/registry.h"

namespace headscope {

constinit const Detector kDuplicateDetector{
    .id = DetectorId::Duplicate,
    .key = "duplicate",
    .name = "Duplicate token",
    .letter = 'D',
    .summary = "Looks back at earlier occurrences of the same token.",
    .formula = "mean over q with an earlier occurrence of Σ A[q, p], p < q, token p = token q "
               "(Wang et al. 2022)",
    .targets = earlierOccurrences,
};

} // namespace headscope
