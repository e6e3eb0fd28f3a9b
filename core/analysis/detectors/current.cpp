#include "core/analysis/detectors/registry.h"

namespace headscope {

constinit const Detector kCurrentDetector{
    .id = DetectorId::Current,
    .key = "current",
    .name = "Current token",
    .letter = 'C',
    .summary = "Looks at the token it stands on.",
    .formula = "mean over q ≥ 1 of A[q, q]; row 0 sees nothing else",
    .targets = [](const ProbeSequence&,
                  std::size_t q) { return q == 0 ? std::vector<std::size_t>{} : std::vector{q}; },
};

} // namespace headscope
