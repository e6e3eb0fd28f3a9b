#include "core/engine/rotary.h"

#include <cmath>
#include <numbers>

namespace headscope {

namespace {

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

} // namespace

std::vector<double> rotaryFrequencies(const RotarySpec& rotary) {
    std::vector<double> frequencies(rotary.d_rotary / 2);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(rotary.d_rotary);
        const double frequency = std::pow(rotary.base, -exponent);
        switch (rotary.scaling) {
        case RotaryScalingKind::None:
            frequencies[i] = frequency;
            break;
        case RotaryScalingKind::Linear:
            frequencies[i] = frequency / rotary.factor;
            break;
        case RotaryScalingKind::Llama3:
            frequencies[i] = llama3Frequency(rotary, frequency);
            break;
        }
    }
    return frequencies;
}

RotaryTable rotaryTable(const RotarySpec& rotary, std::size_t positions) {
    const std::vector<double> frequencies = rotaryFrequencies(rotary);
    RotaryTable table{Tensor({positions, frequencies.size()}),
                      Tensor({positions, frequencies.size()})};
    for (std::size_t p = 0; p < positions; ++p) {
        for (std::size_t i = 0; i < frequencies.size(); ++i) {
            const double angle = static_cast<double>(p) * frequencies[i];
            table.cos(p, i) = static_cast<float>(std::cos(angle));
            table.sin(p, i) = static_cast<float>(std::sin(angle));
        }
    }
    return table;
}

void applyRotary(const RotaryTable& table, const MutableTensorView& x) {
    const std::size_t pairs = table.cos.dim(1);
    for (std::size_t p = 0; p < x.shape[0]; ++p) {
        for (std::size_t head = 0; head < x.shape[1]; ++head) {
            float* first = &x(p, head, 0);
            float* second = first + pairs;
            for (std::size_t i = 0; i < pairs; ++i) {
                const float c = table.cos(p, i);
                const float s = table.sin(p, i);
                const float a = first[i];
                const float b = second[i];
                first[i] = a * c - b * s;
                second[i] = b * c + a * s;
            }
        }
    }
}

} // namespace headscope
