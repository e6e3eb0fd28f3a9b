#pragma once

#include "core/tensor/half.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// Rows of a RowProduct at most: beyond them, OpenBLAS is as fast.
constexpr std::size_t kMostRows = 256;
constexpr std::size_t kMostRowsTransposed = 32; ///< likewise where B is transposed

/// C = [C +] scale · A · B, or · Bᵀ, of a few rows of float32 and a matrix of any format. A [rows,
/// inner], B [inner, cols] or [cols, inner], C [rows, cols]; consecutive rows of each are a stride
/// apart. `scale` is 1 where B is not transposed.
struct RowProduct {
    std::size_t rows;
    std::size_t inner;
    std::size_t cols;
    float scale;
    const float* a;
    std::size_t a_stride;
    FloatFormat format;
    const void* b;
    std::size_t b_stride;
    bool adds;
    float* c;
    std::size_t c_stride;
};

/// One build of the kernels, for one set of vector instructions. All run on the calling thread;
/// those that take `n` floats take contiguous ones that may begin anywhere. What each computes is
/// said where it is offered: gemm.h, half.h and nonlinear.h.
struct KernelTable {
    using Map = void (*)(float* x, std::size_t n);
    using ScalarMap = void (*)(float by, float* x, std::size_t n);
    using PairMap = void (*)(const float* y, float* x, std::size_t n);
    using Backward = void (*)(const float* x, float* grad, std::size_t n);
    using Widen = void (*)(const std::uint16_t* words, float* x, std::size_t n);

    std::string_view name;

    /// −∞ when n is 0; NaN is passed over.
    float (*largest)(const float* x, std::size_t n);
    /// In double, in the same order whatever the instructions.
    double (*sum)(const float* x, std::size_t n);
    double (*sum_of_squares)(const float* x, std::size_t n);

    ScalarMap subtract_scalar;
    ScalarMap multiply_by_scalar;
    ScalarMap divide_by_scalar;
    ScalarMap exp_minus;
    PairMap add;
    PairMap multiply;

    Map relu;
    Map gelu_erf;
    Map gelu_tanh;
    Map quick_gelu;
    Map silu;
    ScalarMap soft_cap;

    Backward relu_backward;
    Backward gelu_erf_backward;
    Backward gelu_tanh_backward;
    Backward quick_gelu_backward;
    Backward silu_backward;
    void (*soft_cap_backward)(float cap, const float* x, float* grad, std::size_t n);

    Widen widen_float16;
    Widen widen_bfloat16;

    void (*multiply_rows)(const RowProduct& product);
    void (*multiply_rows_transposed)(const RowProduct& product);
};

extern const KernelTable kBaselineKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;

/// The build in use.
const KernelTable& kernels();

/// The vector instructions that elementwise kernels, norms and softmax run on: "AVX-512 kernels".
/// Chosen once, the widest that this machine and its operating system support; results agree to
/// 1e-6 between them and to the bit from run to run on one of them.
std::string kernelDescription();

/// What this machine could run them on, widest first; the last is "baseline", what every processor
/// of the platform has.
std::span<const std::string_view> kernelNames();

/// Runs the kernels on one of kernelNames() from now on, so that tests and benchmarks reach all.
void useKernels(std::string_view name);

} // namespace headscope
