#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headscope {

namespace {

double plainFrequency(double base, std::size_t pair, std::size_t d_rotary) {
    return std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(d_rotary));
}

/// Prompts beyond the original context raise the base, so that the slowest pair turns as far as it
/// did at its end ("dynamic NTK").
double dynamicBase(const RotarySpec& rotary, std::size_t positions) {
    const double length = std::max(static_cast<double>(positions), rotary.original_context);
    const double stretch = rotary.factor * length / rotary.original_context - (rotary.factor - 1.0);
    const auto d = static_cast<double>(rotary.d_rotary);
    return rotary.base * std::pow(stretch, d / (d - 2.0));
}

/// Llama 3.1: long wavelengths are stretched by `factor`, short ones kept, those between blended.
double llama3Frequency(const RotarySpec& rotary, double frequency) {
    const double wavelength = 2.0 * std::numbers::pi / frequency;
    if (wavelength < rotary.original_context / rotary.high_freq_factor)
        return frequency;
    if (wavelength > rotary.original_context / rotary.low_freq_factor)
        return frequency / rotary.factor;
    const double smooth = (rotary.original_context / wavelength - rotary.low_freq_factor) /
                          (rotary.high_freq_factor - rotary.low_freq_factor);
    return (1.0 - smooth) * frequency / rotary.factor + smooth * frequency;
}

/// The pair (not whole) that turns `turns` times within the original context.
double pairOfTurns(const RotarySpec& rotary, double turns) {
    return static_cast<double>(rotary.d_rotary) *
           std::log(rotary.original_context / (turns * 2.0 * std::numbers::pi)) /
           (2.0 * std::log(rotary.base));
}

/// YaRN (Peng et al. 2023): fast pairs kept, slow ones stretched, a linear ramp between them.
double yarnFrequency(const RotarySpec& rotary, std::size_t pair, double frequency) {
    double begin = pairOfTurns(rotary, rotary.beta_fast);
    double end = pairOfTurns(rotary, rotary.beta_slow);
    if (rotary.whole_pairs) {
        begin = std::floor(begin);
        end = std::ceil(end);
    }
    begin = std::max(begin, 0.0);
    end = std::min(end, static_cast<double>(rotary.d_rotary - 1));
    if (begin == end)
        end += 0.001;
    const double ramp = std::clamp((static_cast<double>(pair) - begin) / (end - begin), 0.0, 1.0);
    return ramp * frequency / rotary.factor + (1.0 - ramp) * frequency;
}

} // namespace

std::vector<double> rotaryFrequencies(const RotarySpec& rotary, std::size_t positions) {
    const bool dynamic = rotary.scaling == RotaryScalingKind::Dynamic;
    const bool is_long = static_cast<double>(positions) > rotary.original_context;
    const std::vector<double>& factors = is_long ? rotary.long_factors : rotary.short_factors;
    const double base = dynamic ? dynamicBase(rotary, positions) : rotary.base;
    std::vector<double> frequencies(rotary.d_rotary / 2);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        double& frequency = frequencies[i];
        frequency = plainFrequency(base, i, rotary.d_rotary);
        switch (rotary.scaling) {
        case RotaryScalingKind::None:
        case RotaryScalingKind::Dynamic:
            break;
        case RotaryScalingKind::Linear:
            frequency /= rotary.factor;
            break;
        case RotaryScalingKind::Yarn:
            frequency = yarnFrequency(rotary, i, frequency);
            break;
        case RotaryScalingKind::LongRope:
            frequency /= factors[i];
            break;
        case RotaryScalingKind::Llama3:
            frequency = llama3Frequency(rotary, frequency);
            break;
        }
    }
    return frequencies;
}

} // namespace headscope
