#pragma once

#include <cstdint>

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

} // namespace headscope
