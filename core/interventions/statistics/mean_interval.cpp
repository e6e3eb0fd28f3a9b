#include "core/interventions/statistics/mean_interval.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace headscope {

namespace {

/// P(|T| > t) by the finite series for whole degrees of freedom (Abramowitz & Stegun 26.7.3 and
/// 26.7.4).
double outside(double t, std::size_t degrees) {
    const auto n = static_cast<double>(degrees);
    const double angle = std::atan(t / std::sqrt(n));
    const double cosine = std::cos(angle);
    const bool is_odd = degrees % 2 == 1;
    double term = is_odd ? cosine : 1.0;
    double sum = degrees == 1 ? 0.0 : term;
    for (std::size_t k = is_odd ? 3 : 2; k + 1 < degrees; k += 2) {
        term *= cosine * cosine * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    const double inside =
        is_odd ? 2.0 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
    return 1.0 - inside;
}

} // namespace

double studentQuantile(double error, std::size_t degrees) {
    constexpr int kHalvings = 200; // more than a double has bits
    double low = 0.0;
    double high = 1.0;
    while (outside(high, degrees) > error)
        high *= 2.0;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2.0;
        (outside(middle, degrees) > error ? low : high) = middle;
    }
    return (low + high) / 2.0;
}

double meanOf(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval meanInterval(std::span<const double> values, double error) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (values.size() < 2)
        return {kNone, kNone};
    const auto n = static_cast<double>(values.size());
    const double mean = meanOf(values);
    double squares = 0.0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    const double half =
        studentQuantile(error, values.size() - 1) * std::sqrt(squares / (n - 1.0)) / std::sqrt(n);
    return {mean - half, mean + half};
}

} // namespace headscope
