#pragma once

#include "core/tensor/tensor.h"
#include "core/tensor/weight_tensor.h"

#include <span>
#include <string>

namespace headscope {

// Products of large matrices are spread over the threads of core/tensor/parallel.h. Up to 16 rows
// of A are multiplied by kernels of our own, whose sums are the same to the bit whatever the other
// rows, the threads and the format of B. More rows go to OpenBLAS: weights that are narrower than
// float32 are widened in parts that stay in the cache, each right before its product, and how a
// matrix is cut, for threads or into parts, moves the last bits.

/// C = A · B. A [m, k], B [k, n], C [m, n].
void multiply(MatrixView a, MatrixView b, MutableMatrixView c);

void multiply(MatrixView a, const WeightMatrix& b, MutableMatrixView c);
void multiply(const WeightMatrix& a, MatrixView b, MutableMatrixView c);

/// C = C + A · B.
void multiplyAdd(MatrixView a, MatrixView b, MutableMatrixView c);

/// C = scale · A · Bᵀ. A [m, k], B [n, k], C [m, n].
void multiplyTransposed(float scale, MatrixView a, MatrixView b, MutableMatrixView c);

void multiplyTransposed(float scale, MatrixView a, const WeightMatrix& b, MutableMatrixView c);

/// C = C + A · Bᵀ. A [m, k], B [n, k], C [m, n].
void multiplyTransposedAdd(MatrixView a, MatrixView b, MutableMatrixView c);

void multiplyTransposedAdd(MatrixView a, const WeightMatrix& b, MutableMatrixView c);

/// C = C + Aᵀ · B. A [k, m], B [k, n], C [m, n].
void transposedMultiplyAdd(MatrixView a, MatrixView b, MutableMatrixView c);

/// Σ aᵢ bᵢ over equally long vectors.
float dot(std::span<const float> a, std::span<const float> b);

/// Adds `bias` [cols] to every row; an empty one adds nothing.
void addBias(MutableMatrixView x, std::span<const float> bias);

/// x = x + y, both of one shape.
void addInto(MutableMatrixView x, MatrixView y);

/// x = x ⊙ y, both of one shape.
void multiplyInto(MutableMatrixView x, MatrixView y);

/// What BLAS runs on: "OpenBLAS, SkylakeX kernels, 2 threads".
std::string blasDescription();

} // namespace headscope
