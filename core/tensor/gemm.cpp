#include "core/tensor/gemm.h"

#include "core/tensor/kernels.h"
#include "core/tensor/parallel.h"

#include <cblas.h>

#include <algorithm>
#include <cassert>

namespace headscope {

namespace {

blasint blasSize(std::size_t size) {
    return static_cast<blasint>(size);
}

/// C = alpha · op(A) · op(B) + beta · C. At most one of A and B is narrow, and then A is not
/// transposed.
struct Gemm {
    float alpha;
    CBLAS_TRANSPOSE transpose_a;
    WeightMatrix a;
    CBLAS_TRANSPOSE transpose_b;
    WeightMatrix b;
    float beta;
    MutableMatrixView c;

    std::size_t inner() const { return transpose_a == CblasNoTrans ? a.cols : a.rows; }

    /// The part that fills `count` rows of C from `begin` on.
    Gemm rows(std::size_t begin, std::size_t count) const {
        Gemm part = *this;
        part.a = transpose_a == CblasNoTrans ? a.rowRange(begin, count) : a.colRange(begin, count);
        part.c = c.rowRange(begin, count);
        return part;
    }
    Gemm cols(std::size_t begin, std::size_t count) const {
        Gemm part = *this;
        part.b = transpose_b == CblasNoTrans ? b.colRange(begin, count) : b.rowRange(begin, count);
        part.c = c.colRange(begin, count);
        return part;
    }
};

constexpr std::size_t kTile = 16; ///< numbers that kernels compute side by side

void callBlas(const Gemm& gemm) {
    const MatrixView a = gemm.a.floats();
    const MatrixView b = gemm.b.floats();
    cblas_sgemm(CblasRowMajor, gemm.transpose_a, gemm.transpose_b, blasSize(gemm.c.rows),
                blasSize(gemm.c.cols), blasSize(gemm.inner()), gemm.alpha, a.data,
                blasSize(a.stride), b.data, blasSize(b.stride), gemm.beta, gemm.c.data,
                blasSize(gemm.c.stride));
}

constexpr std::size_t kBuffer = std::size_t{1} << 17; ///< numbers: half a megabyte

/// The same numbers as float32, in this thread's buffer until it is asked again.
MatrixView widenedPart(const WeightMatrix& tile) {
    thread_local Tensor buffer;
    if (buffer.size() < tile.rows * tile.cols)
        buffer = Tensor::uninitialised({tile.rows * tile.cols});
    const MutableMatrixView wide{buffer.data(), tile.rows, tile.cols, tile.cols};
    tile.widenInto(wide);
    return wide;
}

/// How many lines of `length` numbers are widened at once.
std::size_t linesAtOnce(std::size_t length) {
    constexpr std::size_t kFewest = 64; // else C would be added to too often
    return std::max(kFewest, kBuffer / std::max<std::size_t>(1, length) / kTile * kTile);
}

/// B is narrow, and neither B nor A is transposed: C is the sum over parts of B's rows, which are
/// read one after another. Parts of its columns would be read by leaps, at half the speed.
void runByInner(const Gemm& gemm) {
    const std::size_t each = linesAtOnce(gemm.b.cols);
    for (std::size_t begin = 0; begin < std::max<std::size_t>(1, gemm.b.rows); begin += each) {
        const std::size_t count = std::min(each, gemm.b.rows - begin);
        Gemm part = gemm;
        part.a = gemm.a.colRange(begin, count);
        part.b = widenedPart(gemm.b.rowRange(begin, count));
        part.beta = begin == 0 ? gemm.beta : 1.0f;
        callBlas(part);
    }
}

/// A is narrow and makes the rows of C, or B is transposed and makes its columns: one by one, by
/// rows of that matrix.
void runByLines(const Gemm& gemm) {
    const bool by_rows = gemm.a.isNarrow();
    const std::size_t length = by_rows ? gemm.c.rows : gemm.c.cols;
    const std::size_t each = linesAtOnce(gemm.inner());
    for (std::size_t begin = 0; begin < length; begin += each) {
        const std::size_t count = std::min(each, length - begin);
        Gemm part = by_rows ? gemm.rows(begin, count) : gemm.cols(begin, count);
        WeightMatrix& narrow = by_rows ? part.a : part.b;
        narrow = widenedPart(narrow);
        callBlas(part);
    }
}

/// Whether B is better read once in its own order than copied by OpenBLAS.
bool hasFewRows(const Gemm& gemm) {
    constexpr std::size_t kWorthALastSum = 128; // of the lanes of a vector
    constexpr std::size_t kFewestColumns = 8;
    if (gemm.c.cols < kFewestColumns || gemm.transpose_a != CblasNoTrans || gemm.a.isNarrow())
        return false;
    return gemm.transpose_b == CblasNoTrans
               ? gemm.c.rows <= kMostRows && gemm.inner() > 0
               : gemm.c.rows <= kMostRowsTransposed && gemm.inner() >= kWorthALastSum;
}

void runFewRows(const Gemm& gemm) {
    const MatrixView a = gemm.a.floats();
    const bool transposed = gemm.transpose_b != CblasNoTrans;
    assert((transposed || gemm.alpha == 1.0f) && (gemm.beta == 0.0f || gemm.beta == 1.0f));
    const auto multiply = transposed ? kernels().multiply_rows_transposed : kernels().multiply_rows;
    multiply({.rows = gemm.c.rows,
              .inner = gemm.inner(),
              .cols = gemm.c.cols,
              .scale = gemm.alpha,
              .a = a.data,
              .a_stride = a.stride,
              .format = gemm.b.format(),
              .b = gemm.b.data(),
              .b_stride = gemm.b.stride,
              .adds = gemm.beta == 1.0f,
              .c = gemm.c.data,
              .c_stride = gemm.c.stride});
}

/// On this thread, which may have got nothing to do.
void runInPlace(const Gemm& gemm) {
    if (gemm.c.rows == 0 || gemm.c.cols == 0)
        return;
    if (hasFewRows(gemm))
        return runFewRows(gemm);
    if (!gemm.a.isNarrow() && !gemm.b.isNarrow())
        return callBlas(gemm);
    const bool by_inner = gemm.b.isNarrow() && gemm.transpose_b == CblasNoTrans;
    by_inner ? runByInner(gemm) : runByLines(gemm);
}

/// Spread over the threads along the longer side of C; every number of C is one thread's sum, so
/// that it does not depend on who came first.
void run(const Gemm& gemm) {
    constexpr double kWorthAThread = 1e6; // multiplications
    const double work = static_cast<double>(gemm.c.rows) * static_cast<double>(gemm.c.cols) *
                        static_cast<double>(gemm.inner());
    const std::size_t parts =
        std::min(threads(), 1 + static_cast<std::size_t>(work / kWorthAThread));
    if (parts == 1)
        return runInPlace(gemm);
    const bool by_rows = gemm.c.rows > gemm.c.cols;
    const std::size_t length = by_rows ? gemm.c.rows : gemm.c.cols;
    const std::size_t tiles = (length + kTile - 1) / kTile;
    const std::size_t each = (tiles + parts - 1) / parts * kTile;
    parallelFor(parts, [&](std::size_t part, std::size_t) {
        const std::size_t begin = std::min(length, part * each);
        const std::size_t count = std::min(each, length - begin);
        runInPlace(by_rows ? gemm.rows(begin, count) : gemm.cols(begin, count));
    });
}

} // namespace

void multiply(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    run({1.0f, CblasNoTrans, a, CblasNoTrans, b, 0.0f, c});
}

void multiply(MatrixView a, const WeightMatrix& b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    run({1.0f, CblasNoTrans, a, CblasNoTrans, b, 0.0f, c});
}

void multiply(const WeightMatrix& a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    run({1.0f, CblasNoTrans, a, CblasNoTrans, b, 0.0f, c});
}

void multiplyAdd(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    run({1.0f, CblasNoTrans, a, CblasNoTrans, b, 1.0f, c});
}

void multiplyTransposed(float scale, MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    run({scale, CblasNoTrans, a, CblasTrans, b, 0.0f, c});
}

void multiplyTransposed(float scale, MatrixView a, const WeightMatrix& b, MutableMatrixView c) {
    assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    run({scale, CblasNoTrans, a, CblasTrans, b, 0.0f, c});
}

void multiplyTransposedAdd(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    run({1.0f, CblasNoTrans, a, CblasTrans, b, 1.0f, c});
}

void multiplyTransposedAdd(MatrixView a, const WeightMatrix& b, MutableMatrixView c) {
    assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    run({1.0f, CblasNoTrans, a, CblasTrans, b, 1.0f, c});
}

void transposedMultiplyAdd(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.rows == b.rows && a.cols == c.rows && b.cols == c.cols);
    run({1.0f, CblasTrans, a, CblasNoTrans, b, 1.0f, c});
}

float dot(std::span<const float> a, std::span<const float> b) {
    assert(a.size() == b.size());
    return cblas_sdot(blasSize(a.size()), a.data(), 1, b.data(), 1);
}

void addBias(MutableMatrixView x, std::span<const float> bias) {
    if (bias.empty())
        return;
    assert(bias.size() == x.cols);
    for (std::size_t r = 0; r < x.rows; ++r)
        kernels().add(bias.data(), x.row(r), x.cols);
}

void addInto(MutableMatrixView x, MatrixView y) {
    assert(x.rows == y.rows && x.cols == y.cols);
    for (std::size_t r = 0; r < x.rows; ++r)
        kernels().add(y.row(r), x.row(r), x.cols);
}

void multiplyInto(MutableMatrixView x, MatrixView y) {
    assert(x.rows == y.rows && x.cols == y.cols);
    for (std::size_t r = 0; r < x.rows; ++r)
        kernels().multiply(y.row(r), x.row(r), x.cols);
}

std::string blasDescription() {
    return "OpenBLAS, " + std::string(openblas_get_corename()) + " kernels, " +
           std::to_string(threads()) + (threads() == 1 ? " thread" : " threads");
}

} // namespace headscope
