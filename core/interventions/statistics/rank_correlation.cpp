#include "core/interventions/statistics/rank_correlation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

namespace headscope {

namespace {

/// From 0, less their mean.
std::vector<double> centredRanks(std::span<const double> numbers) {
    std::vector<std::size_t> order(numbers.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return numbers[i]; });
    std::vector<double> ranks(numbers.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin + 1;
        while (end < order.size() && numbers[order[end]] == numbers[order[begin]])
            ++end;
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] =
                (static_cast<double>(begin + end) - static_cast<double>(order.size())) / 2.0;
        begin = end;
    }
    return ranks;
}

bool hasNan(std::span<const double> numbers) {
    return std::ranges::any_of(numbers, [](double number) { return std::isnan(number); });
}

} // namespace

double rankCorrelation(std::span<const double> a, std::span<const double> b) {
    if (hasNan(a) || hasNan(b))
        return std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> of_a = centredRanks(a);
    const std::vector<double> of_b = centredRanks(b);
    const auto product = [](const std::vector<double>& x, const std::vector<double>& y) {
        return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
    };
    return product(of_a, of_b) / std::sqrt(product(of_a, of_a) * product(of_b, of_b)); // 0 / 0: NaN
}

} // namespace headscope
