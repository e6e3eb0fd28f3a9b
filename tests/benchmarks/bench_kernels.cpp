// Times the kernels on one thread, for every set of instructions this machine has, beside plain
// loops over the functions of <cmath>: bench_kernels [GOOGLE BENCHMARK OPTION…]

#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"
#include "core/tensor/nonlinear.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <string>

using namespace headscope;

namespace {

/// Work on one matrix [rows, cols], which every repetition finds with the same values.
struct Case {
    std::string name;
    std::size_t rows;
    std::size_t cols;
    std::function<void(MutableMatrixView)> kernel;
    std::function<void(MutableMatrixView)> plain;
};

std::function<void(MutableMatrixView)> eachRow(void (*work)(std::span<float>)) {
    return [work](MutableMatrixView x) {
        for (std::size_t r = 0; r < x.rows; ++r)
            work({x.row(r), x.cols});
    };
}

void softmaxRow(std::span<float> row) {
    benchmark::DoNotOptimize(softmaxInPlace(row));
}
void plainSoftmax(std::span<float> row) {
    const float largest = *std::ranges::max_element(row);
    float sum = 0.0f;
    for (float& x : row)
        sum += x = std::exp(x - largest);
    for (float& x : row)
        x *= 1.0f / sum;
}

void lseOfRow(std::span<float> row) {
    benchmark::DoNotOptimize(logSumExp(row));
}
void plainLse(std::span<float> row) {
    const double largest = *std::ranges::max_element(row);
    double sum = 0.0;
    for (const float x : row)
        sum += std::exp(static_cast<double>(x) - largest);
    benchmark::DoNotOptimize(largest + std::log(sum));
}

void plainGelu(std::span<float> row) {
    for (float& x : row)
        x *= 0.5f * (1.0f + std::erf(x / std::numbers::sqrt2_v<float>));
}
void plainGeluTanh(std::span<float> row) {
    for (float& x : row)
        x /= 1.0f + std::exp(-1.5957691f * (x + 0.044715f * x * x * x));
}
void plainSilu(std::span<float> row) {
    for (float& x : row)
        x /= 1.0f + std::exp(-x);
}
void cap(std::span<float> row) {
    softCap(30.0f, row);
}
void plainCap(std::span<float> row) {
    for (float& x : row)
        x = 30.0f * std::tanh(x / 30.0f);
}

void layerNorm(MutableMatrixView x) {
    const std::vector<float> weight(x.cols, 1.5f);
    std::vector<float> scale(x.rows);
    centreRows(x);
    rmsOfRows(x, 1e-5, scale);
    divideRows(x, scale);
    scaleAndShift(x, weight, weight);
}
void plainNorm(std::span<float> row) {
    const double count = static_cast<double>(row.size());
    double sum = 0.0;
    for (const float x : row)
        sum += x;
    double squares = 0.0;
    for (float& x : row) {
        x -= static_cast<float>(sum / count);
        squares += static_cast<double>(x) * x;
    }
    const auto scale = static_cast<float>(std::sqrt(squares / count + 1e-5));
    for (float& x : row)
        x = x / scale * 1.5f + 1.5f;
}

void addRows(MutableMatrixView x) {
    addInto(x, x);
}
void plainAdd(std::span<float> row) {
    for (float& x : row)
        x += x;
}

void run(benchmark::State& state, const Case& work, bool plain) {
    Tensor start({work.rows, work.cols});
    std::uint32_t seed = 1;
    for (float& x : start.values())
        x = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) / 2097152.0f - 4.0f;
    Tensor x = start;
    for (auto _ : state) {
        state.PauseTiming();
        std::ranges::copy(start.values(), x.values().begin());
        state.ResumeTiming();
        (plain ? work.plain : work.kernel)(x.matrix());
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(x.size()));
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<Case> cases{
        {"softmax", 12 * 1024, 1024, eachRow(softmaxRow), eachRow(plainSoftmax)},
        {"logSumExp", 1, 50257, eachRow(lseOfRow), eachRow(plainLse)},
        {"geluErf", 1024, 3072, eachRow(geluErf), eachRow(plainGelu)},
        {"geluTanh", 1024, 3072, eachRow(geluTanh), eachRow(plainGeluTanh)},
        {"silu", 1024, 3072, eachRow(silu), eachRow(plainSilu)},
        {"softCap", 1024, 3072, eachRow(cap), eachRow(plainCap)},
        {"layerNorm", 1024, 768, layerNorm, eachRow(plainNorm)},
        {"addInto", 1024, 768, addRows, eachRow(plainAdd)},
    };
    for (const Case& work : cases) {
        for (const std::string_view name : kernelNames())
            benchmark::RegisterBenchmark((work.name + "/" + std::string(name)).c_str(),
                                         [&work, name](benchmark::State& state) {
                                             useKernels(name);
                                             run(state, work, false);
                                         })
                ->Unit(benchmark::kMicrosecond);
        benchmark::RegisterBenchmark((work.name + "/plain").c_str(), [&work](
                                                                         benchmark::State& state) {
            run(state, work, true);
        })->Unit(benchmark::kMicrosecond);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
