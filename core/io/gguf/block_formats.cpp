#include "core/io/gguf/block_formats.h"

#include "core/base/text.h"
#include "core/io/files/number_words.h"
#include "core/io/gguf/block_numbers.h"

#include <algorithm>
#include <array>
#include <vector>

namespace headscope {

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
    unread(39, "MXFP4", 32, 17),
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

} // namespace headscope
