#include "core/io/gguf/narrow_blocks.h"

#include "core/io/half.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace headscope {

namespace {

constexpr std::size_t kQ8Block = 32;

void appendWord(std::uint16_t word, std::vector<std::byte>& bytes) {
    bytes.push_back(static_cast<std::byte>(word & 0xFFu));
    bytes.push_back(static_cast<std::byte>(word >> 8));
}

std::optional<float> appendHalves(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes) {
    const bool is_float16 = format == GgufFormat::Float16;
    const std::uint16_t infinity = is_float16 ? 0x7C00 : 0x7F80;
    for (const float value : values) {
        const std::uint16_t word = is_float16 ? float32ToFloat16(value) : float32ToBFloat16(value);
        if ((word & 0x7FFFu) == infinity && std::isfinite(value))
            return value;
        appendWord(word, bytes);
    }
    return std::nullopt;
}

/// Half away from zero.
float roundedAway(float value) {
    const float magnitude = std::abs(value);
    const float whole = std::floor(magnitude);
    return std::copysign(whole + std::floor(2.0f * (magnitude - whole)), value);
}

std::optional<float> appendQ8(std::span<const float> values, std::vector<std::byte>& bytes) {
    for (std::size_t first = 0; first < values.size(); first += kQ8Block) {
        const auto block = values.subspan(first, kQ8Block);
        const float largest = std::abs(
            *std::ranges::max_element(block, {}, [](float value) { return std::abs(value); }));
        const float scale = largest / 127.0f;
        const float inverse = scale == 0.0f ? 0.0f : 1.0f / scale;
        const std::uint16_t word = float32ToFloat16(scale);
        if ((word & 0x7FFFu) == 0x7C00)
            return largest;
        appendWord(word, bytes);
        for (const float value : block)
            bytes.push_back(
                static_cast<std::byte>(static_cast<std::int8_t>(roundedAway(value * inverse))));
    }
    return std::nullopt;
}

} // namespace

std::size_t ggufBytes(GgufFormat format, std::size_t n_values) {
    switch (format) {
    case GgufFormat::Float32:
        return n_values * 4;
    case GgufFormat::Float16:
    case GgufFormat::BFloat16:
        return n_values * 2;
    case GgufFormat::Q8_0:
        break;
    }
    return n_values / kQ8Block * (kQ8Block + 2);
}

std::optional<float> appendBlocks(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes) {
    switch (format) {
    case GgufFormat::Float32: {
        const auto raw = std::as_bytes(values);
        bytes.insert(bytes.end(), raw.begin(), raw.end());
        return std::nullopt;
    }
    case GgufFormat::Q8_0:
        return appendQ8(values, bytes);
    default:
        return appendHalves(format, values, bytes);
    }
}

} // namespace headscope
