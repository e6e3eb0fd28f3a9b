#include "core/analysis/detectors/registry.h"

namespace headscope {

constinit const Detector kSinkDetector{
    .id = DetectorId::Sink,
    .key = "sink",
    .name = "Attention sink",
    .letter = 'S',
    .summary = "Rests on the first position whatever stands there.",
    .formula = "mean over q ≥ 1 of A[q, 0] (Xiao et al. 2023); row 0 sees nothing else",
    .targets =
        [](const ProbeSequence&, std::size_t q) {
            return q == 0 ? std::vector<std::size_t>{} : std::vector{std::size_t{0}};
        },
};

} // namespace headscope
