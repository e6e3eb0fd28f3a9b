#include "core/heads/bootstrap.h"

#include "core/base/random.h"

#include <algorithm>
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
    : samples_(samples), draws_(kResamples * samples) {
    Random random(seed);
    for (std::size_t& draw : draws_)
        draw = random.below(samples);
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
