#pragma once

#include "core/base/result.h"
#include "core/tensor/tensor.h"
#include "core/tensor/weight_tensor.h"

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// A dense row-major float64 matrix, for sums over many positions and what is solved from them.
/// Everything here computes on the calling thread.
struct DoubleMatrix {
    DoubleMatrix() = default;
    DoubleMatrix(std::size_t row_count, std::size_t col_count)
        : rows(row_count), cols(col_count), values(row_count * col_count) {}
    explicit DoubleMatrix(MatrixView matrix);
    explicit DoubleMatrix(const WeightMatrix& matrix);

    double& operator()(std::size_t r, std::size_t c) { return values[r * cols + c]; }
    double operator()(std::size_t r, std::size_t c) const { return values[r * cols + c]; }
    double* row(std::size_t r) { return values.data() + r * cols; }

    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<double> values;
};

/// gram += Xᵀ X. x [n, m], gram [m, m].
void addGram(MatrixView x, DoubleMatrix& gram);

/// A · B. a [m, k], b [k, n].
DoubleMatrix product(const DoubleMatrix& a, const DoubleMatrix& b);
/// Aᵀ · B. a [k, m], b [k, n].
DoubleMatrix transposedProduct(const DoubleMatrix& a, const DoubleMatrix& b);
/// A · Bᵀ. a [m, k], b [n, k].
DoubleMatrix productTransposed(const DoubleMatrix& a, const DoubleMatrix& b);

/// The given rows and columns, in their order.
DoubleMatrix submatrix(const DoubleMatrix& a, std::span<const std::size_t> rows,
                       std::span<const std::size_t> cols);

/// Σ over the diagonal of a square matrix.
double trace(const DoubleMatrix& a);
/// Σ aᵢⱼ bᵢⱼ of two of one shape: tr(Aᵀ B).
double innerProduct(const DoubleMatrix& a, const DoubleMatrix& b);

/// X of A X = B for a symmetric, positive definite A [n, n] and B [n, k], by Cholesky (dposv).
/// Fails when A is not positive definite.
Result<DoubleMatrix> solvePositive(DoubleMatrix a, const DoubleMatrix& b);

// LAPACK computes in double on the calling thread. NaN and infinities are refused, because its
// iterations need not end on them.

/// All eigenvalues of a square real matrix, with their multiplicity (dgeev).
Result<std::vector<std::complex<double>>> eigenvalues(MatrixView a);

/// A = U · diag(S) · Vt.
struct ThinSvd {
    Tensor U;              ///< [m, k], orthonormal columns
    std::vector<double> S; ///< [k], descending
    Tensor Vt;             ///< [k, n], orthonormal rows
};

/// The singular value decomposition of a matrix [m, n] with k = min(m, n) (dgesdd).
Result<ThinSvd> thinSvd(MatrixView a);

/// A = Vtᵀ · diag(values) · Vt.
struct SymmetricEigen {
    std::vector<double> values; ///< [n], descending
    DoubleMatrix Vt;            ///< [n, n], an eigenvector in each row
};

/// The eigenvalues and eigenvectors of a symmetric matrix [n, n] (dsyevd).
Result<SymmetricEigen> symmetricEigen(DoubleMatrix a);

} // namespace headscope
