#pragma once

#include <span>

namespace headscope {

/// The mean of differences and where it is within, should they be normal: Student's t.
struct PairedMean {
    double mean = 0.0;
    double low = 0.0;
    double high = 0.0;
};

/// `error`: how likely the interval misses the mean that more such differences would have. Of one
/// difference, all numbers.
PairedMean pairedMean(std::span<const double> differences, double error);

} // namespace headscope
