#include "core/heads/mean_interval.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

namespace headscope {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-9; ///< of a whole number of values with equal weights

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

/// NaN for fewer than two values that count.
struct Estimate {
    double mean = kNone;
    double standard_error = kNone;
    std::size_t degrees = 1;
};

Estimate estimate(std::span<const double> values, std::span<const double> weights) {
    assert(values.size() == weights.size());
    double count = 0.0;
    double weight = 0.0;
    double squared_weights = 0.0;
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        count += weights[i] > 0.0 ? 1.0 : 0.0;
        weight += weights[i];
        squared_weights += weights[i] * weights[i];
        sum += weights[i] > 0.0 ? weights[i] * values[i] : 0.0;
    }
    const double mean = sum / weight;
    if (count < 2.0 || std::isnan(mean))
        return {};
    double squares = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (weights[i] > 0.0)
            squares += std::pow(weights[i] * (values[i] - mean), 2);
    const double deviation = std::sqrt(squares * count / (count - 1.0)) / weight;
    const double effective = std::floor(weight * weight / squared_weights + kRounding);
    return {mean, deviation, static_cast<std::size_t>(std::max(effective - 1.0, 1.0))};
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

double weightedMean(std::span<const double> values, std::span<const double> weights) {
    return std::inner_product(values.begin(), values.end(), weights.begin(), 0.0) /
           std::accumulate(weights.begin(), weights.end(), 0.0);
}

Interval meanInterval(std::span<const double> values, double error) {
    return meanInterval(values, std::vector<double>(values.size(), 1.0), error);
}

Interval meanInterval(std::span<const double> values, std::span<const double> weights,
                      double error) {
    const Estimate found = estimate(values, weights);
    if (std::isnan(found.mean))
        return {kNone, kNone};
    const double half = studentQuantile(error, found.degrees) * found.standard_error;
    return {found.mean - half, found.mean + half};
}

double meanPValue(std::span<const double> values, std::span<const double> weights, double null) {
    const Estimate found = estimate(values, weights);
    if (std::isnan(found.mean) || std::isnan(null))
        return kNone;
    const double above = found.mean - null;
    if (found.standard_error == 0.0)
        return above > 0.0 ? 0.0 : above < 0.0 ? 1.0 : 0.5;
    const double t = std::abs(above) / found.standard_error;
    // The two-sided probability is 0 in the last digits where t is large; it is never below 0.
    const double beyond = std::max(outside(t, found.degrees), 0.0) / 2.0;
    return above > 0.0 ? beyond : 1.0 - beyond;
}

} // namespace headscope
