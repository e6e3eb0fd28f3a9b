#include "core/io/gguf/block_numbers.h"

#include "core/tensor/half.h"

#include <array>
#include <cstddef>

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

/// The number `i` of a large block whose bits lie in planes: each run of `width` bytes holds
/// 8 / Bits planes of as many numbers.
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

} // namespace headscope
