#pragma once

#include <cstddef>
#include <string_view>

namespace headscope {

/// One build of the kernels, for one set of vector instructions. All take `n` contiguous floats
/// that may begin anywhere and run on the calling thread. What each computes is said where it is
/// offered: activation.h, gemm.h, norm.h and softmax.h.
struct KernelTable {
    using Map = void (*)(float* x, std::size_t n);
    using ScalarMap = void (*)(float by, float* x, std::size_t n);
    using PairMap = void (*)(const float* y, float* x, std::size_t n);
    using Backward = void (*)(const float* x, float* grad, std::size_t n);

    std::string_view name;

    /// −∞ when n is 0; NaN is passed over.
    float (*largest)(const float* x, std::size_t n);
    /// In double, in the same order whatever the instructions.
    double (*sum)(const float* x, std::size_t n);
    double (*sumOfSquares)(const float* x, std::size_t n);

    ScalarMap subtractScalar;
    ScalarMap multiplyByScalar;
    ScalarMap divideByScalar;
    ScalarMap expMinus;
    PairMap add;
    PairMap multiply;

    Map relu;
    Map geluErf;
    Map geluTanh;
    Map quickGelu;
    Map silu;
    ScalarMap softCap;

    Backward reluBackward;
    Backward geluErfBackward;
    Backward geluTanhBackward;
    Backward quickGeluBackward;
    Backward siluBackward;
    void (*softCapBackward)(float cap, const float* x, float* grad, std::size_t n);
};

extern const KernelTable kBaselineKernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;

/// The build in use.
const KernelTable& kernels();

} // namespace headscope
