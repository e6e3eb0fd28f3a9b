#include "core/verify/function/paired.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace headscope {

namespace {

/// P(T > t) with t = √n tan θ: its density in θ is c cosⁿ⁻¹ θ, which Simpson's rule adds up.
double exceeds(double t, std::size_t degrees) {
    constexpr int kSteps = 400;
    const auto n = static_cast<double>(degrees);
    const double begin = std::atan(t / std::sqrt(n));
    const double step = (std::numbers::pi / 2.0 - begin) / kSteps;
    const auto density = [&](int i) {
        return i == kSteps && degrees > 1 ? 0.0 : std::pow(std::cos(begin + i * step), n - 1.0);
    };
    double sum = density(0) + density(kSteps);
    for (int i = 1; i < kSteps; ++i)
        sum += (i % 2 == 1 ? 4.0 : 2.0) * density(i);
    const double c =
        std::exp(std::lgamma((n + 1.0) / 2.0) - std::lgamma(n / 2.0)) / std::sqrt(std::numbers::pi);
    return c * sum * step / 3.0;
}

} // namespace

double studentQuantile(double exceeded, std::size_t degrees) {
    double low = 0.0;
    double high = 1.0;
    while (exceeds(high, degrees) > exceeded)
        high *= 2.0;
    for (int i = 0; i < 50; ++i) {
        const double middle = (low + high) / 2.0;
        (exceeds(middle, degrees) > exceeded ? low : high) = middle;
    }
    return (low + high) / 2.0;
}

PairedMean pairedMean(std::span<const double> differences, double error) {
    const auto n = static_cast<double>(differences.size());
    double mean = 0.0;
    for (const double difference : differences)
        mean += difference / n;
    if (differences.size() < 2) {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        return {mean, -infinity, infinity};
    }
    double squares = 0.0;
    for (const double difference : differences)
        squares += (difference - mean) * (difference - mean);
    const double half =
        studentQuantile(error / 2.0, differences.size() - 1) * std::sqrt(squares / (n - 1.0) / n);
    return {mean, mean - half, mean + half};
}

} // namespace headscope
