#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"
#include "core/tensor/weight_tensor.h"
#include "tests/support/runner.h"
#include "tests/tensor/kernel_cases.h"
#include "tests/tensor/random_matrix.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace test_row_products {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::array kFormats{FloatFormat::Float32, FloatFormat::Float16, FloatFormat::BFloat16};
constexpr float kPost = 12345.0f; ///< what nobody may write to

/// Numbers between −1 and 1 that every format holds.
WeightTensor randomWeights(Random& random, FloatFormat format, std::size_t rows, std::size_t cols) {
    Tensor wide({rows, cols});
    for (float& value : wide.values())
        value = (static_cast<float>(random.below(257)) - 128.0f) / 128.0f;
    if (format == FloatFormat::Float32)
        return WeightTensor(std::move(wide));
    WeightTensor weights(format, wide.shape());
    narrow(format, wide.values(), weights.words().values());
    return weights;
}

/// One product in the middle of larger matrices, so that strides and edges count.
struct Case {
    std::size_t rows;
    std::size_t inner;
    std::size_t cols;
    bool transposed;
    bool adds;
    Tensor a;
    WeightTensor b;
    Tensor before;

    static constexpr std::size_t kMargin = 3;

    Case(FloatFormat format, std::array<std::size_t, 3> sizes, bool is_transposed, bool is_added)
        : rows(sizes[0]), inner(sizes[1]), cols(sizes[2]), transposed(is_transposed),
          adds(is_added) {
        Random random(rows * 7919 + inner * 31 + cols);
        a = randomMatrix(random, rows, inner + kMargin);
        b = transposed ? randomWeights(random, format, cols, inner + kMargin)
                       : randomWeights(random, format, inner, cols + kMargin);
        before = randomMatrix(random, rows + 2, cols + 2 * kMargin);
        for (std::size_t r = 0; r < before.dim(0); ++r)
            for (std::size_t c = 0; c < before.dim(1); ++c)
                if (!isInside(r, c))
                    before(r, c) = kPost;
    }

    bool isInside(std::size_t r, std::size_t c) const {
        return r > 0 && r <= rows && c >= kMargin && c < kMargin + cols;
    }

    float scale() const { return transposed ? 0.25f : 1.0f; }

    Tensor product() const {
        Tensor c = before;
        const WeightMatrix part =
            transposed ? b.matrix().colRange(kMargin, inner) : b.matrix().colRange(kMargin, cols);
        const MutableMatrixView target = c.matrix().rowRange(1, rows).colRange(kMargin, cols);
        const RowProduct product{.rows = rows,
                                 .inner = inner,
                                 .cols = cols,
                                 .scale = scale(),
                                 .a = a.data() + kMargin,
                                 .a_stride = a.dim(1),
                                 .format = part.format(),
                                 .b = part.data(),
                                 .b_stride = part.stride,
                                 .adds = adds,
                                 .c = target.data,
                                 .c_stride = target.stride};
        transposed ? kernels().multiply_rows_transposed(product) : kernels().multiply_rows(product);
        return c;
    }

    double expected(std::size_t r, std::size_t c) const {
        if (!isInside(r, c))
            return double{kPost};
        double sum = 0.0;
        for (std::size_t k = 0; k < inner; ++k)
            sum += double{a(r - 1, kMargin + k)} *
                   double{transposed ? b(c - kMargin, kMargin + k) : b(k, c)};
        return double{scale()} * sum + (adds ? double{before(r, c)} : 0.0);
    }

    bool isRight() const {
        const Tensor found = product();
        const double rounding = 1e-6 + 1e-7 * static_cast<double>(inner);
        for (std::size_t r = 0; r < found.dim(0); ++r)
            for (std::size_t c = 0; c < found.dim(1); ++c)
                if (!(std::abs(double{found(r, c)} - expected(r, c)) <= rounding))
                    return false;
        return true;
    }
};

bool sameBits(const Tensor& a, const Tensor& b) {
    return a.shape() == b.shape() &&
           std::ranges::equal(a.values(), b.values(), [](float x, float y) {
               return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
           });
}

} // namespace

class TestRowProducts : public QObject {
    Q_OBJECT

private slots:
    void cleanup() { useKernels(kernelNames().front()); }

    void everyCountOfRows_data() { addKernelRows(); }
    void everyCountOfRows() {
        QFETCH(std::string, kernels);
        useKernels(kernels);
        for (const FloatFormat format : kFormats)
            for (const bool transposed : {false, true}) {
                const std::size_t most = transposed ? kMostRowsTransposed : kMostRows;
                for (std::size_t rows = 1; rows <= most; rows += rows < 50 ? 1 : 13)
                    QVERIFY2(Case(format, {rows, 70, 83}, transposed, false).isRight(),
                             std::to_string(rows).c_str());
                QVERIFY(Case(format, {most, 300, 83}, transposed, false).isRight());
            }
    }

    void everyRestOfColumnsAndDepth_data() { addKernelRows(); }
    void everyRestOfColumnsAndDepth() {
        QFETCH(std::string, kernels);
        useKernels(kernels);
        for (const FloatFormat format : kFormats)
            for (std::size_t n = 1; n <= 67; ++n)
                for (const bool adds : {false, true}) {
                    QVERIFY(Case(format, {3, n, 17}, false, adds).isRight());
                    QVERIFY(Case(format, {9, 20, n}, false, adds).isRight());
                    QVERIFY(Case(format, {3, n, 17}, true, adds).isRight());
                    QVERIFY(Case(format, {9, 20, n}, true, adds).isRight());
                }
    }

    void longSums_data() { addKernelRows(); }
    void longSums() {
        QFETCH(std::string, kernels);
        useKernels(kernels);
        for (const FloatFormat format : kFormats)
            for (const bool adds : {false, true}) {
                QVERIFY(Case(format, {5, 1500, 40}, false, adds).isRight());
                QVERIFY(Case(format, {5, 1500, 40}, true, adds).isRight());
            }
    }

    /// So that a prompt gives the same, alone and as the start of a longer one, on any number of
    /// threads, from weights of 16 bits and from the same numbers as float32.
    void sumsDependOnNothingElse_data() { addKernelRows(); }
    void sumsDependOnNothingElse() {
        QFETCH(std::string, kernels);
        useKernels(kernels);
        const std::size_t threads_before = threads();
        Random random(3);
        const Tensor x = randomMatrix(random, kMostRowsTransposed, 1100);
        for (const FloatFormat format : kFormats) {
            const WeightTensor W = randomWeights(random, format, 1100, 1003);
            const WeightTensor W_U = randomWeights(random, format, 1003, 1100);
            const Tensor wide = W.widened();
            const Tensor wide_U = W_U.widened();
            const auto products = [&](MatrixView rows, const WeightMatrix& w,
                                      const WeightMatrix& w_u) {
                Tensor both({2 * rows.rows, 1003});
                multiply(rows, w, both.matrix().rowRange(0, rows.rows));
                multiplyTransposed(1.0f, rows, w_u, both.matrix().rowRange(rows.rows, rows.rows));
                return both;
            };
            setThreads(1);
            const Tensor all = products(x.matrix(), W.matrix(), W_U.matrix());
            QVERIFY(sameBits(all, products(x.matrix(), wide.matrix(), wide_U.matrix())));
            for (const std::size_t count : {std::size_t{1}, std::size_t{4}}) {
                setThreads(count);
                QVERIFY(sameBits(all, products(x.matrix(), W.matrix(), W_U.matrix())));
                for (std::size_t row = 0; row < kMostRowsTransposed; row += 5) {
                    const Tensor one =
                        products(x.matrix().rowRange(row, 1), W.matrix(), W_U.matrix());
                    for (std::size_t c = 0; c < 1003; ++c) {
                        QCOMPARE(one(0, c), all(row, c));
                        QCOMPARE(one(1, c), all(kMostRowsTransposed + row, c));
                    }
                }
            }
        }
        setThreads(threads_before);
    }

    /// Most threads have no row then.
    void moreThreadsThanRows() {
        const std::size_t threads_before = threads();
        setThreads(16);
        Random random(4);
        const Tensor x = randomMatrix(random, 33, 16000);
        const WeightTensor W = randomWeights(random, FloatFormat::Float16, 16000, 32);
        const Tensor wide = W.widened();
        Tensor narrow_product({33, 32});
        Tensor wide_product({33, 32});
        multiply(x.matrix(), W.matrix(), narrow_product.matrix());
        multiply(x.matrix(), wide.matrix(), wide_product.matrix());
        for (const auto& [r, c] : {std::pair{0u, 0u}, {16u, 31u}, {32u, 5u}}) {
            double sum = 0.0;
            for (std::size_t k = 0; k < 16000; ++k)
                sum += double{x(r, k)} * double{wide(k, c)};
            QVERIFY(std::abs(double{narrow_product(r, c)} - sum) < 2e-3);
            QVERIFY(std::abs(double{wide_product(r, c)} - sum) < 2e-3);
        }
        setThreads(threads_before);
    }
};

const headscope::test::TestRegistration<TestRowProducts> registration;

} // namespace test_row_products

#include "test_row_products.moc"
