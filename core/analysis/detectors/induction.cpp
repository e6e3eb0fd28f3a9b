#include "core/analysis/detectors/occurrences.h"
#include "core/analysis/detectors/registry.h"

namespace headscope {

constinit const Detector kInductionDetector{
    .id = DetectorId::Induction,
    .key = "induction",
    .name = "Induction",
    .letter = 'I',
    .summary =
        "Looks at what came after the same token earlier, and so predicts that it comes again.",
    .formula = "mean over q with an earlier occurrence of Σ A[q, p+1], p < q, token p = token q "
               "(Olsson et al. 2022)",
    .targets =
        [](const ProbeSequence& sequence, std::size_t q) {
            auto keys = earlierOccurrences(sequence, q);
            for (std::size_t& key : keys)
                ++key;
            return keys;
        },
};

} // namespace headscope
