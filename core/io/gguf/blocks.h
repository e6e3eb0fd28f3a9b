#pragma once

#include "core/io/gguf_writer.h"
#include "core/io/tensor_source.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// One block of a quantised format to its float32 values, by the arithmetic of llama.cpp's package
// `gguf` (quants.py), so that every bit is the same. d and m are the scale and the minimum of a
// block, stored as float16; the K formats give both to groups inside a block of 256, in 4 or 6
// bits.

void widenQ40(const std::uint8_t* block, float* values); ///< Q4_0: d·(q − 8), 32 values
void widenQ41(const std::uint8_t* block, float* values); ///< Q4_1: d·q + m, 32 values
void widenQ50(const std::uint8_t* block, float* values); ///< Q5_0: d·(q − 16), 32 values
void widenQ51(const std::uint8_t* block, float* values); ///< Q5_1: d·q + m, 32 values
void widenQ80(const std::uint8_t* block, float* values); ///< Q8_0: d·q, 32 values
void widenQ2K(const std::uint8_t* block, float* values); ///< Q2_K: d·q − m, groups of 16
void widenQ3K(const std::uint8_t* block, float* values); ///< Q3_K: d·(q − 4), groups of 16
void widenQ4K(const std::uint8_t* block, float* values); ///< Q4_K: d·q − m, groups of 32
void widenQ5K(const std::uint8_t* block, float* values); ///< Q5_K: d·q − m, groups of 32
void widenQ6K(const std::uint8_t* block, float* values); ///< Q6_K: d·(q − 32), groups of 16

/// MXFP4: d·q, 32 values of one sign and the magnitudes 0 to 12, with d a power of two.
void widenMxfp4(const std::uint8_t* block, float* values);

/// A number format of GGUF: rows are cut into blocks, each with its own scale where it has one.
struct BlockFormat {
    using Widen = void (*)(std::span<const std::byte> blocks, std::span<float> target);

    std::uint32_t number = 0; ///< in the enum ggml_type
    std::string_view name;    ///< "Q4_K"
    std::size_t elements = 1; ///< of one block
    std::size_t bytes = 0;    ///< of one block
    StoredType type = StoredType::Other;
    /// Whole blocks to float32; null for what cannot be read.
    Widen widen = nullptr;
};

/// Null for a number without a format, or whose format was withdrawn.
const BlockFormat* blockFormat(std::uint32_t number);

/// The names of the formats that can be read: "F32, F16, …".
std::string readableBlockFormats();

const BlockFormat& blockFormatOf(GgufFormat format);

/// Bytes of that many numbers, which are whole blocks.
std::size_t ggufBytes(GgufFormat format, std::size_t n_values);

/// Appends numbers as blocks of a format, by the arithmetic of the package `gguf` (quants.py).
/// Gives the first finite number that the format cannot hold, else nothing.
std::optional<float> appendBlocks(GgufFormat format, std::span<const float> values,
                                  std::vector<std::byte>& bytes);

} // namespace headscope
