#include "core/verify/function/paired.h"

#include "core/heads/mean_interval.h"

#include <limits>

namespace headscope {

PairedMean pairedMean(std::span<const double> differences, double error) {
    if (differences.size() < 2) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {meanOf(differences), -infinity, infinity};
    }
    const Interval interval = meanInterval(differences, error);
    return {meanOf(differences), interval.low, interval.high};
}

} // namespace headscope
