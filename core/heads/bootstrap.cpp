#include "core/heads/bootstrap.h"

#include "core/base/random.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace headscope {

namespace {
constexpr std::size_t kResamples = 1000;
constexpr std::size_t kOutside = 25; ///< resamples left out at either end: 2.5 %
constexpr Interval kUndefined{std::numeric_limits<double>::quiet_NaN(),
                              std::numeric_limits<double>::quiet_NaN()};
} // namespace

Bootstrap::Bootstrap(std::size_t samples, std::uint64_t seed)
    : samples_(samples), seed_(seed), draws_(kResamples * samples) {
    Random random(seed);
    for (std::size_t& draw : draws_)
        draw = random.below(samples);
}

Interval Bootstrap::intervalOfMean(std::span<const double> values,
                                   std::span<const double> weights) const {
    assert(values.size() == samples_ && weights.size() == samples_ && samples_ > 0);
    if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
        return kUndefined;
    if (std::ranges::count(weights, 0.0) > 0)
        return intervalOfCounting(values, weights);
    if (samples_ == 1)
        return {values[0], values[0]};
    return intervalOf([&](std::span<const std::size_t> drawn) {
        double mean = 0.0;
        double weight = 0.0;
        for (const std::size_t draw : drawn) {
            mean += weights[draw] * values[draw];
            weight += weights[draw];
        }
        return mean / weight;
    });
}

/// Of those whose weight is not 0.
Interval Bootstrap::intervalOfCounting(std::span<const double> values,
                                       std::span<const double> weights) const {
    std::vector<double> counting_values;
    std::vector<double> counting_weights;
    for (std::size_t i = 0; i < samples_; ++i)
        if (weights[i] != 0.0) {
            counting_values.push_back(values[i]);
            counting_weights.push_back(weights[i]);
        }
    if (counting_values.empty())
        return kUndefined;
    return Bootstrap(counting_values.size(), seed_)
        .intervalOfMean(counting_values, counting_weights);
}

Interval Bootstrap::intervalOf(
    const std::function<double(std::span<const std::size_t> drawn)>& statistic) const {
    std::vector<double> numbers(kResamples);
    for (std::size_t resample = 0; resample < kResamples; ++resample)
        numbers[resample] = statistic(std::span(draws_).subspan(resample * samples_, samples_));
    if (std::ranges::any_of(numbers, [](double number) { return std::isnan(number); }))
        return kUndefined;
    std::ranges::sort(numbers);
    return {numbers[kOutside], numbers[kResamples - 1 - kOutside]};
}

} // namespace headscope
