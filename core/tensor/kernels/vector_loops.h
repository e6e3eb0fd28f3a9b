#pragma once

#include <xsimd/xsimd.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

// Included once by each file that is compiled for its own instructions. A function that two such
// files share would be emitted by both, and the linker would keep one, perhaps with instructions
// the machine lacks: so all is local to the file, and of other functions only memcpy is called.
namespace headscope {
namespace {

/// The first `count` of `x`, the lanes after them `fill`.
template <class Batch>
Batch loadPart(const float* x, std::size_t count, float fill) {
    float part[Batch::size];
    for (float& value : part)
        value = fill;
    std::memcpy(part, x, count * sizeof(float));
    return Batch::load_unaligned(part);
}

template <class Batch>
void storePart(const Batch& values, float* x, std::size_t count) {
    float part[Batch::size];
    values.store_unaligned(part);
    std::memcpy(x, part, count * sizeof(float));
}

/// x = f(x). A value's result does not depend on where in the row it is.
template <class Arch, class F>
void mapEach(float* x, std::size_t n, F f) {
    using Batch = xsimd::batch<float, Arch>;
    std::size_t i = 0;
    for (; i + Batch::size <= n; i += Batch::size)
        f(Batch::load_unaligned(x + i)).store_unaligned(x + i);
    if (i < n)
        storePart(f(loadPart<Batch>(x + i, n - i, 0.0f)), x + i, n - i);
}

/// x = f(x, y).
template <class Arch, class F>
void mapPairs(const float* y, float* x, std::size_t n, F f) {
    using Batch = xsimd::batch<float, Arch>;
    std::size_t i = 0;
    for (; i + Batch::size <= n; i += Batch::size)
        f(Batch::load_unaligned(x + i), Batch::load_unaligned(y + i)).store_unaligned(x + i);
    if (i < n)
        storePart(f(loadPart<Batch>(x + i, n - i, 0.0f), loadPart<Batch>(y + i, n - i, 0.0f)),
                  x + i, n - i);
}

/// IEEE binary16 → float32; without a branch, so that the compiler makes vectors of it.
float fromFloat16(std::uint16_t word) {
    constexpr std::uint32_t exponent_mask = 0x7C00u << 13;
    constexpr std::uint32_t bias_change = (127u - 15u) << 23;
    constexpr std::uint32_t infinity_change = (128u - 16u) << 23;
    constexpr std::uint32_t leading_one = 1u << 23;
    constexpr std::uint32_t smallest_normal = 113u << 23; // 2^-14, the weight of subnormals

    const std::uint32_t magnitude = (word & 0x7FFFu) << 13;
    const std::uint32_t exponent = magnitude & exponent_mask;
    const std::uint32_t bits = magnitude + bias_change +
                               (exponent == exponent_mask ? infinity_change : 0u) +
                               (exponent == 0 ? leading_one : 0u);
    // Subnormal: 2^-14 · (1 + m) − 2^-14 = 2^-14 · m, exact and without subnormal float32 operands.
    const std::uint32_t excess = exponent == 0 ? smallest_normal : 0u;
    const float value = __builtin_bit_cast(float, bits) - __builtin_bit_cast(float, excess);
    const std::uint32_t sign = (word & 0x8000u) << 16;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, value) | sign);
}

/// bfloat16 → float32: the upper half of the float32 word.
float fromBFloat16(std::uint16_t word) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(word) << 16);
}

void widenFloat16(const std::uint16_t* words, float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        x[i] = fromFloat16(words[i]);
}

void widenBFloat16(const std::uint16_t* words, float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        x[i] = fromBFloat16(words[i]);
}

/// Σ term(i) in double over 16 interleaved partial sums, which fill the registers of any
/// instruction set and make the result the same on all.
template <class Term>
double sumOf(std::size_t n, Term term) {
    constexpr std::size_t kLanes = 16;
    double lanes[kLanes] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] += term(i + lane);
    for (std::size_t lane = 0; i < n; ++i, ++lane)
        lanes[lane] += term(i);
    double sum = 0.0;
    for (const double lane : lanes)
        sum += lane;
    return sum;
}

} // namespace
} // namespace headscope
