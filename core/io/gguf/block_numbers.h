#pragma once

#include <cstdint>

namespace headscope {

// One block of a quantised format to its float32 values, by the arithmetic of llama.cpp's package
// `gguf` (quants.py), so that every bit is the same. d and m are the scale and the minimum of a
// block, stored as float16; the K formats give both to groups inside a block of 256, in 4 or 6
// bits.

void widenQ4_0(const std::uint8_t* block, float* values); ///< d·(q − 8), 32 values
void widenQ4_1(const std::uint8_t* block, float* values); ///< d·q + m, 32 values
void widenQ5_0(const std::uint8_t* block, float* values); ///< d·(q − 16), 32 values
void widenQ5_1(const std::uint8_t* block, float* values); ///< d·q + m, 32 values
void widenQ8_0(const std::uint8_t* block, float* values); ///< d·q, 32 values
void widenQ2_K(const std::uint8_t* block, float* values); ///< d·q − m, groups of 16
void widenQ3_K(const std::uint8_t* block, float* values); ///< d·(q − 4), groups of 16
void widenQ4_K(const std::uint8_t* block, float* values); ///< d·q − m, groups of 32
void widenQ5_K(const std::uint8_t* block, float* values); ///< d·q − m, groups of 32
void widenQ6_K(const std::uint8_t* block, float* values); ///< d·(q − 32), groups of 16

} // namespace headscope
