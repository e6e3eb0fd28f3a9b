#pragma once

#include <cstdint>
#include <span>

namespace headscope {

/// IEEE binary16 → float32, exact for all 65536 words; NaN payloads are kept.
float float16ToFloat32(std::uint16_t word);

/// bfloat16 → float32: the upper half of the float32 word.
float bfloat16ToFloat32(std::uint16_t word);

/// The same for many words; both spans have the same size.
void widenFloat16(std::span<const std::uint16_t> words, std::span<float> target);
void widenBFloat16(std::span<const std::uint16_t> words, std::span<float> target);

} // namespace headscope
