#include "core/io/gguf/blocks.h"

#include "core/base/text.h"
#include "core/io/files/tensor_reading.h"
#include "core/tensor/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace headscope {

namespace {

constexpr std::size_t kSmallBlock = 32;
constexpr std::size_t kLargeBlock = 256; ///< of the K formats

float halfAt(const std::uint8_t* bytes) {
    return float16ToFloat32(static_cast<std::uint16_t>(bytes[0] | bytes[1] << 8));
}

/// 4-bit numbers of a small block: the first 16 in the low halves of 16 bytes, then the high ones.
int nibble(const std::uint8_t* packed, std::size_t i) {
    return packed[i % 16] >> (i < 16 ? 0 : 4) & 0xF;
}

/// The number `i` of a large block whose bits are in planes: each run of `width` bytes holds 8 /
/// Bits planes of as many numbers.
template <int Bits>
int inPlanes(const std::uint8_t* packed, std::size_t i, std::size_t width) {
    constexpr std::size_t planes = 8 / Bits;
    const std::size_t run = i / (planes * width);
    const std::size_t plane = i / width % planes;
    return packed[run * width + i % width] >> (Bits * plane) & ((1 << Bits) - 1);
}

/// 6-bit scales and minima of the eight groups of Q4_K and Q5_K, in 12 bytes.
struct GroupScales {
    std::array<float, 8> scale;
    std::array<float, 8> minimum;

    GroupScales(float d, float m, const std::uint8_t* packed) {
        for (std::size_t i = 0; i < 4; ++i) {
            const int low = packed[i];
            const int low_minimum = packed[4 + i];
            const int rest = packed[8 + i];
            scale[i] = d * static_cast<float>(low & 0x3F);
            minimum[i] = m * static_cast<float>(low_minimum & 0x3F);
            scale[4 + i] = d * static_cast<float>((rest & 0xF) | (low >> 2 & 0x30));
            minimum[4 + i] = m * static_cast<float>(rest >> 4 | (low_minimum >> 2 & 0x30));
        }
    }
};

} // namespace

void widenQ40(const std::uint8_t* block, float* values) {
    const float d = halfAt(block);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = d * static_cast<float>(nibble(block + 2, i) - 8);
}

void widenQ41(const std::uint8_t* block, float* values) {
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = d * static_cast<float>(nibble(block + 4, i)) + m;
}

namespace {

/// Four bits as in Q4, the fifth in a bit field of 32.
int fiveBits(const std::uint8_t* high, const std::uint8_t* low, std::size_t i) {
    return nibble(low, i) | (high[i / 8] >> (i % 8) & 1) << 4;
}

} // namespace

void widenQ50(const std::uint8_t* block, float* values) {
    const float d = halfAt(block);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = d * static_cast<float>(fiveBits(block + 2, block + 6, i) - 16);
}

void widenQ51(const std::uint8_t* block, float* values) {
    const float d = halfAt(block);
    const float m = halfAt(block + 2);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = d * static_cast<float>(fiveBits(block + 4, block + 8, i)) + m;
}

void widenQ80(const std::uint8_t* block, float* values) {
    const float d = halfAt(block);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = static_cast<float>(static_cast<std::int8_t>(block[2 + i])) * d;
}

void widenQ2K(const std::uint8_t* block, float* values) {
    const std::uint8_t* const scales = block; // 16 of two times four bits
    const std::uint8_t* const numbers = block + 16;
    const float d = halfAt(block + 80);
    const float m = halfAt(block + 82);
    for (std::size_t group = 0; group < 16; ++group) {
        const float scale = d * static_cast<float>(scales[group] & 0xF);
        const float minimum = m * static_cast<float>(scales[group] >> 4);
        for (std::size_t i = 16 * group; i < 16 * (group + 1); ++i)
            values[i] = scale * static_cast<float>(inPlanes<2>(numbers, i, 32)) - minimum;
    }
}

void widenQ3K(const std::uint8_t* block, float* values) {
    const std::uint8_t* const high = block;
    const std::uint8_t* const low = block + 32;
    const std::uint8_t* const scales = block + 96; // 16 of six bits in 12 bytes
    const float d = halfAt(block + 108);
    for (std::size_t group = 0; group < 16; ++group) {
        const int bits = (scales[group % 8] >> (group < 8 ? 0 : 4) & 0xF) |
                         (scales[8 + group % 4] >> (2 * (group / 4)) & 3) << 4;
        const float scale = d * static_cast<float>(bits - 32);
        for (std::size_t i = 16 * group; i < 16 * (group + 1); ++i)
            values[i] = scale * static_cast<float>(inPlanes<2>(low, i, 32) -
                                                   (inPlanes<1>(high, i, 32) == 0 ? 4 : 0));
    }
}

void widenQ4K(const std::uint8_t* block, float* values) {
    const GroupScales groups(halfAt(block), halfAt(block + 2), block + 4);
    for (std::size_t i = 0; i < kLargeBlock; ++i)
        values[i] = groups.scale[i / 32] * static_cast<float>(inPlanes<4>(block + 16, i, 32)) -
                    groups.minimum[i / 32];
}

void widenQ5K(const std::uint8_t* block, float* values) {
    const GroupScales groups(halfAt(block), halfAt(block + 2), block + 4);
    for (std::size_t i = 0; i < kLargeBlock; ++i) {
        const int number = inPlanes<4>(block + 48, i, 32) | inPlanes<1>(block + 16, i, 32) << 4;
        values[i] = groups.scale[i / 32] * static_cast<float>(number) - groups.minimum[i / 32];
    }
}

void widenQ6K(const std::uint8_t* block, float* values) {
    const std::uint8_t* const low = block;
    const std::uint8_t* const high = block + 128;
    const std::uint8_t* const scales = block + 192;
    const float d = halfAt(block + 208);
    for (std::size_t group = 0; group < 16; ++group) {
        const float scale = d * static_cast<float>(static_cast<std::int8_t>(scales[group]));
        for (std::size_t i = 16 * group; i < 16 * (group + 1); ++i)
            values[i] = scale * static_cast<float>(
                                    (inPlanes<4>(low, i, 64) | inPlanes<2>(high, i, 32) << 4) - 32);
    }
}

void widenMxfp4(const std::uint8_t* block, float* values) {
    constexpr std::array<float, 16> kMagnitudes{0, 1,  2,  3,  4,  6,  8,  12,
                                                0, -1, -2, -3, -4, -6, -8, -12};
    const std::uint32_t exponent = block[0]; // of twice d, E8M0
    const std::uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1) << 23;
    const auto d = std::bit_cast<float>(bits);
    for (std::size_t i = 0; i < kSmallBlock; ++i)
        values[i] = d * kMagnitudes[static_cast<std::size_t>(nibble(block + 1, i))];
}

namespace {

template <std::size_t Elements, std::size_t Bytes,
          void (*WidenBlock)(const std::uint8_t* block, float* values)>
void widenBlocks(std::span<const std::byte> blocks, std::span<float> target) {
    const auto* block = reinterpret_cast<const std::uint8_t*>(blocks.data());
    for (std::size_t done = 0; done < target.size(); done += Elements, block += Bytes)
        WidenBlock(block, target.data() + done);
}

/// A format whose blocks are single numbers, as safetensors has it, too.
BlockFormat words(std::uint32_t number, std::string_view name) {
    const NumberFormat& format = *numberFormat(name);
    return {number, name, 1, format.bits / 8, format.type, format.widen};
}

template <std::size_t Elements, std::size_t Bytes,
          void (*WidenBlock)(const std::uint8_t* block, float* values)>
constexpr BlockFormat blocks(std::uint32_t number, std::string_view name) {
    return {number,
            name,
            Elements,
            Bytes,
            StoredType::Quantized,
            widenBlocks<Elements, Bytes, WidenBlock>};
}

constexpr BlockFormat unread(std::uint32_t number, std::string_view name, std::size_t elements,
                             std::size_t bytes) {
    return {number, name, elements, bytes, StoredType::Other, nullptr};
}

/// Numbers and sizes of ggml's type_traits.
const std::array kBlockFormats{
    words(0, "F32"),
    words(1, "F16"),
    blocks<32, 18, widenQ40>(2, "Q4_0"),
    blocks<32, 20, widenQ41>(3, "Q4_1"),
    blocks<32, 22, widenQ50>(6, "Q5_0"),
    blocks<32, 24, widenQ51>(7, "Q5_1"),
    blocks<32, 34, widenQ80>(8, "Q8_0"),
    unread(9, "Q8_1", 32, 40),
    blocks<256, 84, widenQ2K>(10, "Q2_K"),
    blocks<256, 110, widenQ3K>(11, "Q3_K"),
    blocks<256, 144, widenQ4K>(12, "Q4_K"),
    blocks<256, 176, widenQ5K>(13, "Q5_K"),
    blocks<256, 210, widenQ6K>(14, "Q6_K"),
    unread(15, "Q8_K", 256, 292),
    unread(16, "IQ2_XXS", 256, 66),
    unread(17, "IQ2_XS", 256, 74),
    unread(18, "IQ3_XXS", 256, 98),
    unread(19, "IQ1_S", 256, 50),
    unread(20, "IQ4_NL", 32, 18),
    unread(21, "IQ3_S", 256, 110),
    unread(22, "IQ2_S", 256, 82),
    unread(23, "IQ4_XS", 256, 136),
    words(24, "I8"),
    words(25, "I16"),
    words(26, "I32"),
    words(27, "I64"),
    words(28, "F64"),
    unread(29, "IQ1_M", 256, 56),
    words(30, "BF16"),
    unread(34, "TQ1_0", 256, 54),
    unread(35, "TQ2_0", 256, 66),
    blocks<32, 17, widenMxfp4>(39, "MXFP4"),
    unread(40, "NVFP4", 64, 36),
    unread(41, "Q1_0", 128, 18),
};

} // namespace

const BlockFormat* blockFormat(std::uint32_t number) {
    const auto found = std::ranges::find(kBlockFormats, number, &BlockFormat::number);
    return found == kBlockFormats.end() ? nullptr : &*found;
}

std::string readableBlockFormats() {
    std::vector<std::string> names;
    for (const BlockFormat& format : kBlockFormats)
        if (isFloat(format.type))
            names.emplace_back(format.name);
    return join(names, ", ");
}

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
