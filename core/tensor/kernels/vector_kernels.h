#pragma once

#include "core/tensor/kernels.h"
#include "core/tensor/kernels/row_dots.h"
#include "core/tensor/kernels/row_tiles.h"
#include "core/tensor/kernels/vector_loops.h"

// Local to each including file, as vector_loops.h explains.
namespace headscope {
namespace {

// Activations x·σ(a(x)): their derivative is σ(a)·(1 + x·σ(−a)·a′).

struct Silu {
    template <class Batch>
    static Batch argument(const Batch& x) {
        return x;
    }
    template <class Batch>
    static Batch slope(const Batch&) {
        return Batch(1.0f);
    }
};

struct QuickGelu {
    static constexpr float kFactor = 1.702f;

    template <class Batch>
    static Batch argument(const Batch& x) {
        return Batch(kFactor) * x;
    }
    template <class Batch>
    static Batch slope(const Batch&) {
        return Batch(kFactor);
    }
};

/// ½·(1 + tanh(y)) = σ(2y) with y = √(2/π)·(x + 0.044715 x³)
struct GeluTanh {
    static constexpr float kFactor = 1.5957691216f; ///< 2·√(2/π)
    static constexpr float kCubic = 0.044715f;

    template <class Batch>
    static Batch argument(const Batch& x) {
        return Batch(kFactor) * x * (Batch(1.0f) + Batch(kCubic) * x * x);
    }
    template <class Batch>
    static Batch slope(const Batch& x) {
        return Batch(kFactor) * (Batch(1.0f) + Batch(3.0f * kCubic) * x * x);
    }
};

template <class Arch>
struct VectorKernels {
    using Batch = xsimd::batch<float, Arch>;

    static constexpr float kInverseSqrt2 = 0.70710678119f;
    static constexpr float kInverseSqrt2Pi = 0.39894228040f;

    static float largest(const float* x, std::size_t n) {
        constexpr float lowest = -__builtin_inff();
        Batch best(lowest);
        std::size_t i = 0;
        for (; i + Batch::size <= n; i += Batch::size)
            best = xsimd::max(Batch::load_unaligned(x + i), best);
        if (i < n)
            best = xsimd::max(loadPart<Batch>(x + i, n - i, lowest), best);
        float lanes[Batch::size];
        best.store_unaligned(lanes);
        float result = lowest;
        for (const float lane : lanes)
            result = lane > result ? lane : result;
        return result;
    }

    static double sum(const float* x, std::size_t n) {
        return sumOf(n, [x](std::size_t i) { return static_cast<double>(x[i]); });
    }

    static double sumOfSquares(const float* x, std::size_t n) {
        return sumOf(n, [x](std::size_t i) { return static_cast<double>(x[i]) * x[i]; });
    }

    static void subtractScalar(float by, float* x, std::size_t n) {
        mapEach<Arch>(x, n, [by](const Batch& v) { return v - Batch(by); });
    }

    static void multiplyByScalar(float by, float* x, std::size_t n) {
        mapEach<Arch>(x, n, [by](const Batch& v) { return v * Batch(by); });
    }

    static void divideByScalar(float by, float* x, std::size_t n) {
        mapEach<Arch>(x, n, [by](const Batch& v) { return v / Batch(by); });
    }

    static void expMinus(float by, float* x, std::size_t n) {
        mapEach<Arch>(x, n, [by](const Batch& v) { return xsimd::exp(v - Batch(by)); });
    }

    static void add(const float* y, float* x, std::size_t n) {
        mapPairs<Arch>(y, x, n, [](const Batch& a, const Batch& b) { return a + b; });
    }

    static void multiply(const float* y, float* x, std::size_t n) {
        mapPairs<Arch>(y, x, n, [](const Batch& a, const Batch& b) { return a * b; });
    }

    static Batch sigmoid(const Batch& x) { return Batch(1.0f) / (Batch(1.0f) + xsimd::exp(-x)); }

    template <class Gate>
    static void gated(float* x, std::size_t n) {
        mapEach<Arch>(x, n, [](const Batch& v) {
            return v / (Batch(1.0f) + xsimd::exp(-Gate::argument(v)));
        });
    }

    template <class Gate>
    static void gatedBackward(const float* x, float* grad, std::size_t n) {
        mapPairs<Arch>(x, grad, n, [](const Batch& g, const Batch& v) {
            const Batch a = Gate::argument(v);
            return g * sigmoid(a) * (Batch(1.0f) + v * sigmoid(-a) * Gate::slope(v));
        });
    }

    static void relu(float* x, std::size_t n) {
        mapEach<Arch>(
            x, n, [](const Batch& v) { return xsimd::select(v < Batch(0.0f), Batch(0.0f), v); });
    }

    static void reluBackward(const float* x, float* grad, std::size_t n) {
        mapPairs<Arch>(x, grad, n, [](const Batch& g, const Batch& v) {
            return xsimd::select(v <= Batch(0.0f), Batch(0.0f), g);
        });
    }

    /// Φ(x) = ½·erfc(−x/√2), exact to the last places on the left side too.
    static Batch normalCdf(const Batch& x) {
        return Batch(0.5f) * xsimd::erfc(Batch(-kInverseSqrt2) * x);
    }

    static void geluErf(float* x, std::size_t n) {
        mapEach<Arch>(x, n, [](const Batch& v) { return v * normalCdf(v); });
    }

    static void geluErfBackward(const float* x, float* grad, std::size_t n) {
        mapPairs<Arch>(x, grad, n, [](const Batch& g, const Batch& v) {
            const Batch density = Batch(kInverseSqrt2Pi) * xsimd::exp(Batch(-0.5f) * v * v);
            return g * (normalCdf(v) + v * density);
        });
    }

    static void softCap(float cap, float* x, std::size_t n) {
        mapEach<Arch>(x, n,
                      [cap](const Batch& v) { return Batch(cap) * xsimd::tanh(v / Batch(cap)); });
    }

    /// 1 − tanh²(u) = 4e / (1 + e)² with e = exp(−2|u|), which never cancels.
    static void softCapBackward(float cap, const float* x, float* grad, std::size_t n) {
        mapPairs<Arch>(x, grad, n, [cap](const Batch& g, const Batch& v) {
            const Batch e = xsimd::exp(Batch(-2.0f) * xsimd::abs(v / Batch(cap)));
            const Batch root = Batch(1.0f) + e;
            return g * Batch(4.0f) * e / (root * root);
        });
    }
};

template <class Arch>
constexpr KernelTable kernelTable(std::string_view name) {
    using Kernels = VectorKernels<Arch>;
    return {
        .name = name,
        .largest = Kernels::largest,
        .sum = Kernels::sum,
        .sum_of_squares = Kernels::sumOfSquares,
        .subtract_scalar = Kernels::subtractScalar,
        .multiply_by_scalar = Kernels::multiplyByScalar,
        .divide_by_scalar = Kernels::divideByScalar,
        .exp_minus = Kernels::expMinus,
        .add = Kernels::add,
        .multiply = Kernels::multiply,
        .relu = Kernels::relu,
        .gelu_erf = Kernels::geluErf,
        .gelu_tanh = Kernels::template gated<GeluTanh>,
        .quick_gelu = Kernels::template gated<QuickGelu>,
        .silu = Kernels::template gated<Silu>,
        .soft_cap = Kernels::softCap,
        .relu_backward = Kernels::reluBackward,
        .gelu_erf_backward = Kernels::geluErfBackward,
        .gelu_tanh_backward = Kernels::template gatedBackward<GeluTanh>,
        .quick_gelu_backward = Kernels::template gatedBackward<QuickGelu>,
        .silu_backward = Kernels::template gatedBackward<Silu>,
        .soft_cap_backward = Kernels::softCapBackward,
        .widen_float16 = widenFloat16,
        .widen_bfloat16 = widenBFloat16,
        .multiply_rows = RowTiles<Arch>::multiply,
        .multiply_rows_transposed = RowDots<Arch>::multiply,
    };
}

} // namespace
} // namespace headscope
