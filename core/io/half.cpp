#include "core/io/half.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace headscope {

namespace {

// Not the public functions themselves: those cannot be inlined in position-independent code.

float widenedFloat16(std::uint16_t word) {
    constexpr std::uint32_t exponent_mask = 0x7C00u << 13;
    constexpr std::uint32_t bias_change = (127u - 15u) << 23;
    constexpr std::uint32_t infinity_change = (128u - 16u) << 23;
    constexpr std::uint32_t smallest_normal = 113u << 23; // 2^-14, the weight of subnormals

    std::uint32_t bits = (word & 0x7FFFu) << 13;
    const std::uint32_t exponent = bits & exponent_mask;
    bits += bias_change;
    if (exponent == exponent_mask) {
        bits += infinity_change;
    } else if (exponent == 0) {
        // 2^-14 · (1 + m) − 2^-14 = 2^-14 · m, exact and without subnormal float32 operands.
        const float with_leading_one = std::bit_cast<float>(bits + (1u << 23));
        bits =
            std::bit_cast<std::uint32_t>(with_leading_one - std::bit_cast<float>(smallest_normal));
    }
    return std::bit_cast<float>(bits | (word & 0x8000u) << 16);
}

float widenedBFloat16(std::uint16_t word) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(word) << 16);
}

} // namespace

float float16ToFloat32(std::uint16_t word) {
    return widenedFloat16(word);
}

float bfloat16ToFloat32(std::uint16_t word) {
    return widenedBFloat16(word);
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

namespace {

/// `infinity` is that of the format.
template <std::uint16_t (*Narrow)(float)>
std::optional<float> narrow(std::span<const float> values, std::span<std::uint16_t> words,
                            std::uint16_t infinity) {
    assert(words.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        words[i] = Narrow(values[i]);
        if ((words[i] & 0x7FFFu) == infinity && std::isfinite(values[i]))
            return values[i];
    }
    return std::nullopt;
}

} // namespace

std::optional<float> narrowToFloat16(std::span<const float> values,
                                     std::span<std::uint16_t> words) {
    return narrow<float32ToFloat16>(values, words, 0x7C00);
}

std::optional<float> narrowToBFloat16(std::span<const float> values,
                                      std::span<std::uint16_t> words) {
    return narrow<float32ToBFloat16>(values, words, 0x7F80);
}

void widenFloat16(std::span<const std::uint16_t> words, std::span<float> target) {
    assert(words.size() == target.size());
    std::transform(words.begin(), words.end(), target.begin(), widenedFloat16);
}

void widenBFloat16(std::span<const std::uint16_t> words, std::span<float> target) {
    assert(words.size() == target.size());
    std::transform(words.begin(), words.end(), target.begin(), widenedBFloat16);
}

} // namespace headscope
