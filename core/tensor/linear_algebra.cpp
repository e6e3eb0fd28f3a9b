#include "core/tensor/linear_algebra.h"

#include "core/tensor/finite.h"
#include "core/tensor/parallel.h"

#include <cblas.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

// OpenBLAS brings LAPACK along, but Debian has no C header for it. The numbers at the end are the
// lengths of the characters, which Fortran passes after everything else.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): Fortran's names
void dposv_(const char* triangle, const blasint* n, const blasint* columns, double* a,
            const blasint* ld_a, double* b, const blasint* ld_b, blasint* info, std::size_t);
void dgeev_(const char* job_left, const char* job_right, const blasint* n, double* a,
            const blasint* lda, double* real, double* imaginary, double* left,
            const blasint* ld_left, double* right, const blasint* ld_right, double* work,
            const blasint* work_size, blasint* info, std::size_t, std::size_t);
void dgesdd_(const char* job, const blasint* m, const blasint* n, double* a, const blasint* lda,
             double* s, double* u, const blasint* ld_u, double* vt, const blasint* ld_vt,
             double* work, const blasint* work_size, blasint* integer_work, blasint* info,
             std::size_t);
void dsyevd_(const char* job, const char* triangle, const blasint* n, double* a, const blasint* lda,
             double* values, double* work, const blasint* work_size, blasint* integer_work,
             const blasint* integer_work_size, blasint* info, std::size_t, std::size_t);
// NOLINTEND(readability-identifier-naming)
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

namespace {

std::vector<double> denseDoubles(MatrixView a) {
    std::vector<double> values(a.rows * a.cols);
    for (std::size_t r = 0; r < a.rows; ++r)
        std::copy_n(a.row(r), a.cols, values.data() + r * a.cols);
    return values;
}

Tensor denseTensor(const std::vector<double>& values, Shape shape) {
    Tensor tensor = Tensor::uninitialised(std::move(shape));
    std::ranges::transform(values, tensor.data(),
                           [](double value) { return static_cast<float>(value); });
    return tensor;
}

Result<void> checkFinite(bool finite) {
    threads(); // from its first call on BLAS runs on the thread that calls it
    if (!finite)
        return Error{ErrorCode::InvalidArgument,
                     "A matrix with NaN or infinite numbers cannot be decomposed."};
    return {};
}

Error notConverged(const char* what) {
    return {ErrorCode::InvalidArgument, std::string("The ") + what + " did not converge."};
}

} // namespace

Result<std::vector<std::complex<double>>> eigenvalues(MatrixView a) {
    assert(a.rows == a.cols);
    if (auto finite = checkFinite(allFinite(a)); !finite)
        return finite.error();
    if (a.rows == 0)
        return std::vector<std::complex<double>>();
    // LAPACK counts by columns, so it sees the transpose, which has the same eigenvalues.
    std::vector<double> values = denseDoubles(a);
    std::vector<double> real(a.rows);
    std::vector<double> imaginary(a.rows);
    const auto n = static_cast<blasint>(a.rows);
    const blasint one = 1;
    blasint info = 0;
    const auto solve = [&](double* work, blasint work_size) {
        dgeev_("N", "N", &n, values.data(), &n, real.data(), imaginary.data(), nullptr, &one,
               nullptr, &one, work, &work_size, &info, 1, 1);
    };
    double best_size = 0.0;
    solve(&best_size, -1);
    std::vector<double> work(static_cast<std::size_t>(best_size));
    solve(work.data(), static_cast<blasint>(work.size()));
    if (info != 0)
        return notConverged("eigenvalues of a matrix");
    std::vector<std::complex<double>> lambda(a.rows);
    for (std::size_t i = 0; i < lambda.size(); ++i)
        lambda[i] = {real[i], imaginary[i]};
    return lambda;
}

Result<ThinSvd> thinSvd(MatrixView a) {
    if (auto finite = checkFinite(allFinite(a)); !finite)
        return finite.error();
    const std::size_t k = std::min(a.rows, a.cols);
    if (k == 0)
        return ThinSvd{Tensor({a.rows, k}), {}, Tensor({k, a.cols})};
    // LAPACK counts by columns, so it sees Aᵀ = V S Uᵀ: its left vectors are our right ones.
    std::vector<double> values = denseDoubles(a);
    std::vector<double> v(a.cols * k);
    std::vector<double> u(k * a.rows);
    std::vector<double> s(k);
    std::vector<blasint> integer_work(8 * k);
    const auto m = static_cast<blasint>(a.cols);
    const auto n = static_cast<blasint>(a.rows);
    const auto rank = static_cast<blasint>(k);
    blasint info = 0;
    const auto solve = [&](double* work, blasint work_size) {
        dgesdd_("S", &m, &n, values.data(), &m, s.data(), v.data(), &m, u.data(), &rank, work,
                &work_size, integer_work.data(), &info, 1);
    };
    double best_size = 0.0;
    solve(&best_size, -1);
    std::vector<double> work(static_cast<std::size_t>(best_size));
    solve(work.data(), static_cast<blasint>(work.size()));
    if (info != 0)
        return notConverged("singular values of a matrix");
    return ThinSvd{denseTensor(u, {a.rows, k}), std::move(s), denseTensor(v, {k, a.cols})};
}

Result<SymmetricEigen> symmetricEigen(DoubleMatrix a) {
    assert(a.rows == a.cols);
    if (auto finite = checkFinite(
            std::ranges::all_of(a.values, [](double value) { return std::isfinite(value); }));
        !finite)
        return finite.error();
    SymmetricEigen eigen{std::vector<double>(a.rows), std::move(a)};
    if (eigen.values.empty())
        return eigen;
    const auto n = static_cast<blasint>(eigen.values.size());
    blasint info = 0;
    const auto solve = [&](double* work, blasint work_size, blasint* integer_work,
                           blasint integer_work_size) {
        dsyevd_("V", "U", &n, eigen.Vt.values.data(), &n, eigen.values.data(), work, &work_size,
                integer_work, &integer_work_size, &info, 1, 1);
    };
    double best_size = 0.0;
    blasint best_integer_size = 0;
    solve(&best_size, -1, &best_integer_size, -1);
    std::vector<double> work(static_cast<std::size_t>(best_size));
    std::vector<blasint> integer_work(static_cast<std::size_t>(best_integer_size));
    solve(work.data(), static_cast<blasint>(work.size()), integer_work.data(), best_integer_size);
    if (info != 0)
        return notConverged("eigenvectors of a matrix");
    // LAPACK's columns are our rows; it counts up.
    std::ranges::reverse(eigen.values);
    for (std::size_t row = 0; row < eigen.values.size() / 2; ++row)
        std::swap_ranges(eigen.Vt.row(row), eigen.Vt.row(row) + eigen.Vt.cols,
                         eigen.Vt.row(eigen.values.size() - 1 - row));
    return eigen;
}

} // namespace headscope
