#pragma once

#include "core/base/result.h"
#include "core/tensor/double_matrix.h"
#include "core/tensor/tensor.h"

#include <complex>
#include <vector>

namespace headscope {

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

/// Of a symmetric matrix [n, n] (dsyevd).
Result<SymmetricEigen> symmetricEigen(DoubleMatrix a);

} // namespace headscope
