#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace headscope {

/// The format of the numbers of weights in memory or in a file: float32, IEEE binary16, or
/// bfloat16, the upper half of a float32.
enum class FloatFormat : std::uint8_t { Float32, Float16, BFloat16 };

constexpr std::size_t bytesPerNumber(FloatFormat format) {
    return format == FloatFormat::Float32 ? 4 : 2;
}

/// IEEE binary16 → float32, exact for all 65536 words; NaN payloads are kept.
float float16ToFloat32(std::uint16_t word);

/// bfloat16 → float32: the upper half of the float32 word.
float bfloat16ToFloat32(std::uint16_t word);

/// float32 → the nearest IEEE binary16, ties to even; from 65520 on, infinity.
std::uint16_t float32ToFloat16(float value);

/// float32 → the nearest bfloat16, ties to even.
std::uint16_t float32ToBFloat16(float value);

// The format is a narrow one, not Float32; both spans have the same size.

float widen(FloatFormat format, std::uint16_t word);
std::uint16_t narrow(FloatFormat format, float value);

/// Narrows many numbers. Gives the first finite one that becomes infinite, else nothing; what comes
/// after it is not written.
std::optional<float> narrow(FloatFormat format, std::span<const float> values,
                            std::span<std::uint16_t> words);

/// Widens many words.
void widen(FloatFormat format, std::span<const std::uint16_t> words, std::span<float> target);

} // namespace headscope
