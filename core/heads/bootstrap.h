#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace headscope {

struct Interval {
    double low = 0.0;
    double high = 0.0;
};

/// Percentile bootstrap (Efron & Tibshirani 1993, chapter 13): 1000 resamples with replacement,
/// drawn once from the seed, so that all numbers read off the same samples share them.
class Bootstrap {
public:
    Bootstrap(std::size_t samples, std::uint64_t seed);

    /// 95 % interval of a number that is computed from each resample: the samples that were drawn,
    /// as often as they were. NaN when one is NaN.
    Interval
    intervalOf(const std::function<double(std::span<const std::size_t> drawn)>& statistic) const;

private:
    std::size_t samples_;
    std::vector<std::size_t> draws_; ///< [resample, sample]: which sample was drawn
};

} // namespace headscope
