#include "core/tensor/gemm.h"

#include <cblas.h>

#include <cassert>

namespace headscope {

namespace {

blasint blasSize(std::size_t size) {
    return static_cast<blasint>(size);
}

/// C = alpha · A · op(B) + beta · C. OpenBLAS does not accept a leading dimension of 0, and there
/// is nothing to do then.
void gemm(float alpha, MatrixView a, CBLAS_TRANSPOSE transpose_b, MatrixView b, float beta,
          MutableMatrixView c) {
    if (c.rows == 0 || c.cols == 0)
        return;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, transpose_b, blasSize(c.rows), blasSize(c.cols),
                blasSize(a.cols), alpha, a.data, blasSize(a.stride), b.data, blasSize(b.stride),
                beta, c.data, blasSize(c.stride));
}

} // namespace

void multiply(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    gemm(1.0f, a, CblasNoTrans, b, 0.0f, c);
}

void multiplyAdd(MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
    gemm(1.0f, a, CblasNoTrans, b, 1.0f, c);
}

void multiplyTransposed(float scale, MatrixView a, MatrixView b, MutableMatrixView c) {
    assert(a.cols == b.cols && a.rows == c.rows && b.rows == c.cols);
    gemm(scale, a, CblasTrans, b, 0.0f, c);
}

float dot(std::span<const float> a, std::span<const float> b) {
    assert(a.size() == b.size());
    return cblas_sdot(blasSize(a.size()), a.data(), 1, b.data(), 1);
}

void addBias(MutableMatrixView x, std::span<const float> bias) {
    if (bias.empty())
        return;
    assert(bias.size() == x.cols);
    for (std::size_t r = 0; r < x.rows; ++r) {
        float* row = x.row(r);
        for (std::size_t c = 0; c < x.cols; ++c)
            row[c] += bias[c];
    }
}

void addInto(MutableMatrixView x, MatrixView y) {
    assert(x.rows == y.rows && x.cols == y.cols);
    for (std::size_t r = 0; r < x.rows; ++r) {
        float* to = x.row(r);
        const float* from = y.row(r);
        for (std::size_t c = 0; c < x.cols; ++c)
            to[c] += from[c];
    }
}

void setBlasThreads(int threads) {
    openblas_set_num_threads(threads);
}
int blasThreads() {
    return openblas_get_num_threads();
}

std::string blasDescription() {
    return "OpenBLAS, " + std::string(openblas_get_corename()) + " kernels, " +
           std::to_string(blasThreads()) + " threads";
}

} // namespace headscope
