#include "core/tensor/double_matrix.h"

#include "core/tensor/parallel.h"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <numeric>

// As in lapack.cpp: the number at the end is the length of the character.
extern "C" {
// NOLINTNEXTLINE(readability-identifier-naming): Fortran's name
void dposv_(const char* triangle, const blasint* n, const blasint* columns, double* a,
            const blasint* ld_a, double* b, const blasint* ld_b, blasint* info, std::size_t);
}

namespace headscope {

namespace {

blasint sizeForBlas(std::size_t size) {
    return static_cast<blasint>(size);
}

/// C = op(A) · op(B)
DoubleMatrix multiplied(CBLAS_TRANSPOSE transpose_a, const DoubleMatrix& a,
                        CBLAS_TRANSPOSE transpose_b, const DoubleMatrix& b) {
    threads(); // from its first call on BLAS runs on the thread that calls it
    const std::size_t inner = transpose_a == CblasTrans ? a.rows : a.cols;
    assert(inner == (transpose_b == CblasTrans ? b.cols : b.rows));
    DoubleMatrix c(transpose_a == CblasTrans ? a.cols : a.rows,
                   transpose_b == CblasTrans ? b.rows : b.cols);
    if (c.values.empty() || inner == 0)
        return c;
    cblas_dgemm(CblasRowMajor, transpose_a, transpose_b, sizeForBlas(c.rows), sizeForBlas(c.cols),
                sizeForBlas(inner), 1.0, a.values.data(), sizeForBlas(a.cols), b.values.data(),
                sizeForBlas(b.cols), 0.0, c.values.data(), sizeForBlas(c.cols));
    return c;
}

} // namespace

DoubleMatrix::DoubleMatrix(MatrixView matrix) : DoubleMatrix(matrix.rows, matrix.cols) {
    for (std::size_t r = 0; r < rows; ++r)
        std::copy_n(matrix.row(r), cols, values.begin() + static_cast<std::ptrdiff_t>(r * cols));
}

DoubleMatrix::DoubleMatrix(const WeightMatrix& matrix) : DoubleMatrix(*WidenedMatrix(matrix)) {}

void addGram(MatrixView x, DoubleMatrix& gram) {
    assert(gram.rows == x.cols && gram.cols == x.cols);
    if (x.rows == 0 || x.cols == 0)
        return;
    threads();
    const DoubleMatrix copy(x);
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, sizeForBlas(x.cols), sizeForBlas(x.rows),
                1.0, copy.values.data(), sizeForBlas(x.cols), 1.0, gram.values.data(),
                sizeForBlas(x.cols));
    for (std::size_t r = 0; r < gram.rows; ++r)
        for (std::size_t c = 0; c < r; ++c)
            gram(r, c) = gram(c, r);
}

DoubleMatrix product(const DoubleMatrix& a, const DoubleMatrix& b) {
    return multiplied(CblasNoTrans, a, CblasNoTrans, b);
}

DoubleMatrix transposedProduct(const DoubleMatrix& a, const DoubleMatrix& b) {
    return multiplied(CblasTrans, a, CblasNoTrans, b);
}

DoubleMatrix productTransposed(const DoubleMatrix& a, const DoubleMatrix& b) {
    return multiplied(CblasNoTrans, a, CblasTrans, b);
}

DoubleMatrix submatrix(const DoubleMatrix& a, std::span<const std::size_t> rows,
                       std::span<const std::size_t> cols) {
    DoubleMatrix part(rows.size(), cols.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
        for (std::size_t c = 0; c < cols.size(); ++c)
            part(r, c) = a(rows[r], cols[c]);
    return part;
}

double trace(const DoubleMatrix& a) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.rows; ++i)
        sum += a(i, i);
    return sum;
}

double innerProduct(const DoubleMatrix& a, const DoubleMatrix& b) {
    assert(a.values.size() == b.values.size());
    return std::inner_product(a.values.begin(), a.values.end(), b.values.begin(), 0.0);
}

Result<DoubleMatrix> solvePositive(DoubleMatrix a, const DoubleMatrix& b) {
    assert(a.rows == a.cols && a.rows == b.rows);
    threads();
    // LAPACK counts by columns: A is its own transpose, and B is handed over as Bᵀ.
    std::vector<double> columns(b.values.size());
    for (std::size_t r = 0; r < b.rows; ++r)
        for (std::size_t c = 0; c < b.cols; ++c)
            columns[c * b.rows + r] = b(r, c);
    const blasint n = sizeForBlas(a.rows);
    const blasint n_columns = sizeForBlas(b.cols);
    blasint info = 0;
    if (n > 0 && n_columns > 0)
        dposv_("U", &n, &n_columns, a.values.data(), &n, columns.data(), &n, &info, 1);
    if (info != 0)
        return Error{ErrorCode::InvalidArgument,
                     "A matrix is not positive definite and cannot be solved; use more text or a "
                     "larger ridge."};
    DoubleMatrix x(b.rows, b.cols);
    for (std::size_t r = 0; r < x.rows; ++r)
        for (std::size_t c = 0; c < x.cols; ++c)
            x(r, c) = columns[c * b.rows + r];
    return x;
}

} // namespace headscope
