#include "core/tensor/half.h"

#include "core/tensor/kernels.h"

#include <bit>
#include <cassert>
#include <cmath>

namespace headscope {

float float16ToFloat32(std::uint16_t word) {
    float value = 0.0f;
    kernels().widen_float16(&word, &value, 1);
    return value;
}

float bfloat16ToFloat32(std::uint16_t word) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

std::uint16_t float32ToFloat16(float value) {
    constexpr std::uint32_t infinity = 0x7F800000u;
    constexpr std::uint32_t too_large = 0x47800000u;       // 2^16
    constexpr std::uint32_t smallest_normal = 0x38800000u; // 2^-14
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    std::uint32_t word = 0;
    if (magnitude > infinity) {
        word = 0x7E00u | (magnitude >> 13 & 0x3FFu);
    } else if (magnitude >= too_large) {
        word = 0x7C00u;
    } else if (magnitude >= smallest_normal) {
        const std::uint32_t rebiased = magnitude - ((127u - 15u) << 23);
        word = (rebiased + 0xFFFu + (rebiased >> 13 & 1u)) >> 13;
    } else {
        // The last bit of a float32 in [0.5, 1) is worth 2^-24, as that of a subnormal binary16.
        const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
        word = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f);
    }
    return static_cast<std::uint16_t>(word | (bits >> 16 & 0x8000u));
}

std::uint16_t float32ToBFloat16(float value) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value))
        return static_cast<std::uint16_t>(bits >> 16 | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

float widen(FloatFormat format, std::uint16_t word) {
    assert(format != FloatFormat::Float32);
    return format == FloatFormat::Float16 ? float16ToFloat32(word) : bfloat16ToFloat32(word);
}

std::uint16_t narrow(FloatFormat format, float value) {
    assert(format != FloatFormat::Float32);
    return format == FloatFormat::Float16 ? float32ToFloat16(value) : float32ToBFloat16(value);
}

std::optional<float> narrow(FloatFormat format, std::span<const float> values,
                            std::span<std::uint16_t> words) {
    assert(words.size() == values.size());
    const std::uint16_t infinity = format == FloatFormat::Float16 ? 0x7C00 : 0x7F80;
    for (std::size_t i = 0; i < values.size(); ++i) {
        words[i] = narrow(format, values[i]);
        if ((words[i] & 0x7FFFu) == infinity && std::isfinite(values[i]))
            return values[i];
    }
    return std::nullopt;
}

void widen(FloatFormat format, std::span<const std::uint16_t> words, std::span<float> target) {
    assert(format != FloatFormat::Float32 && words.size() == target.size());
    const KernelTable& table = kernels();
    const auto widen_words =
        format == FloatFormat::Float16 ? table.widen_float16 : table.widen_bfloat16;
    widen_words(words.data(), target.data(), words.size());
}

} // namespace headscope
