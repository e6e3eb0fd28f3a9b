#pragma once

#include "core/tensor/half.h"
#include "core/tensor/kernels/vector_loops.h"

#include <type_traits>

// What products of rows with a matrix B share, whatever the orientation of B. Local to each
// including file, as vector_loops.h explains.
namespace headscope {
namespace {

constexpr std::size_t kLine = 64; ///< bytes of a line of the cache

template <class T>
constexpr T smaller(T a, T b) {
    return b < a ? b : a;
}

template <FloatFormat Format>
constexpr bool kIsWide = Format == FloatFormat::Float32;

template <FloatFormat Format>
using Number = std::conditional_t<kIsWide<Format>, float, std::uint16_t>;

/// work.template operator()<Format>() of this format.
template <class Work>
void withFormat(FloatFormat format, const Work& work) {
    switch (format) {
    case FloatFormat::Float32:
        return work.template operator()<FloatFormat::Float32>();
    case FloatFormat::Float16:
        return work.template operator()<FloatFormat::Float16>();
    case FloatFormat::BFloat16:
        return work.template operator()<FloatFormat::BFloat16>();
    }
}

/// Registers that hold sums; the others hold what is multiplied.
template <class Batch>
constexpr std::size_t kSumsOf = Batch::size >= 16 ? 24 : 12;

/// Numbers of B as float32.
template <FloatFormat Format>
void widenNumbers(const Number<Format>* b, float* x, std::size_t n) {
    if constexpr (kIsWide<Format>) {
        std::memcpy(x, b, n * sizeof(float));
    } else if constexpr (Format == FloatFormat::Float16) {
        std::size_t i = 0;
#ifdef __F16C__
        for (; i + 8 <= n; i += 8) {
            __m128i words;
            std::memcpy(&words, b + i, sizeof(words));
            _mm256_storeu_ps(x + i, _mm256_cvtph_ps(words));
        }
#endif
        widenFloat16(b + i, x + i, n - i);
    } else {
        widenBFloat16(b, x, n);
    }
}

/// x · y + z, in one instruction where the processor has it.
template <class Batch>
Batch multiplyAdd(const Batch& x, const Batch& y, const Batch& z) {
#ifdef __AVX512F__
    if constexpr (Batch::size == 16) // xsimd 8 makes two of it
        return _mm512_fmadd_ps(x, y, z);
#endif
    return xsimd::fma(x, y, z);
}

/// Lines of B that the next part needs, asked for while this one is multiplied: `count` at each
/// step. They are asked for evenly and into the second cache: all at once they would stall the
/// processor, and in the first they would drive out what is in use.
struct LinesAhead {
    const char* first = nullptr;
    std::size_t step = 0;   ///< bytes from what one step asks for to the next
    std::size_t count = 0;  ///< lines at a step
    std::size_t stride = 0; ///< bytes from line to line

    /// What block `block` of `blocks` asks for, each of which takes all steps, of `lines` at a step
    /// that are `stride` bytes apart.
    static LinesAhead shared(const void* first, std::size_t step, std::size_t lines,
                             std::size_t stride, std::size_t block, std::size_t blocks) {
        if (first == nullptr || block >= lines)
            return {};
        return {static_cast<const char*>(first) + block * stride, step,
                (lines - block + blocks - 1) / blocks, blocks * stride};
    }

    void ask(std::size_t step_number) const {
        for (std::size_t i = 0; i < count; ++i)
            __builtin_prefetch(first + step_number * step + i * stride, 0, 2);
    }
};

} // namespace
} // namespace headscope
