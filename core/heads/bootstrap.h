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

    /// 95 % interval of the mean of `values`, one per sample, each counting by its weight (≥ 0);
    /// samples of weight 0 say nothing and are left out. The value itself for one sample, NaN when
    /// a value is NaN and where no sample counts.
    Interval intervalOfMean(std::span<const double> values, std::span<const double> weights) const;

    /// 95 % interval of a number that is computed from each resample: the samples that were drawn,
    /// as often as they were. NaN when one is NaN.
    Interval
    intervalOf(const std::function<double(std::span<const std::size_t> drawn)>& statistic) const;

private:
    Interval intervalOfCounting(std::span<const double> values,
                                std::span<const double> weights) const;

    std::size_t samples_;
    std::uint64_t seed_;
    std::vector<std::size_t> draws_; ///< [resample, sample]: which sample was drawn
};

} // namespace headscope
