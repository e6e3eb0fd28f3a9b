#include "core/analysis/detectors/registry.h"

namespace headscope {

constinit const Detector kPreviousDetector{
    .id = DetectorId::Previous,
    .key = "previous",
    .name = "Previous token",
    .letter = 'P',
    .summary = "Looks at the token just before.",
    .formula = "mean over q ≥ 1 of A[q, q−1] (Olsson et al. 2022)",
    .targets =
        [](const ProbeSequence&, std::size_t q) {
            return q == 0 ? std::vector<std::size_t>{} : std::vector{q - 1};
        },
};

} // namespace headscope
