#include "core/io/gguf/narrow_blocks.h"

#include "core/tensor/half.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace headscope {

namespace {

constexpr std::size_t kQ8Block = 32;

void appendWord(std::uint16_t word, std::vector<std::byte>& bytes) {
    bytes.push_back(static_cast<std::byte>(word & 0xFFu));
    bytes.push_back(static_cast<std::byte>(word >> 8));
}

void appendBytes(std::span<const std::byte> raw, std::vector<std::byte>& bytes) {
    bytes.insert(bytes.end(), raw.begin(), raw.end());
}

std::optional<float> appendHalves(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes) {
    const FloatFormat half =
        format == GgufFormat::Float16 ? FloatFormat::Float16 : FloatFormat::BFloat16;
    std::vector<std::uint16_t> words(values.size());
    if (const auto beyond = narrow(half, values, words))
        return beyond;
    appendBytes(std::as_bytes(std::span(words)), bytes);
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

const BlockFormat& blockFormatOf(GgufFormat format) {
    /// Numbers in ggml_type, in the order of GgufFormat.
    static constexpr std::uint32_t kNumbers[] = {0, 1, 30, 8};
    return *blockFormat(kNumbers[static_cast<std::size_t>(format)]);
}

std::size_t ggufBytes(GgufFormat format, std::size_t n_values) {
    const BlockFormat& stored = blockFormatOf(format);
    return n_values / stored.elements * stored.bytes;
}

std::optional<float> appendBlocks(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes) {
    switch (format) {
    case GgufFormat::Float32:
        appendBytes(std::as_bytes(values), bytes);
        return std::nullopt;
    case GgufFormat::Q8:
        return appendQ8(values, bytes);
    default:
        return appendHalves(format, values, bytes);
    }
}

} // namespace headscope
