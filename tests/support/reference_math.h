#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"

#include <cstddef>
#include <vector>

namespace headscope::test {

/// A float64 matrix, row-major.
struct Matrix {
    Matrix() = default;
    Matrix(std::size_t n_rows, std::size_t n_cols)
        : rows(n_rows), cols(n_cols), values(n_rows * n_cols) {}

    double& operator()(std::size_t row, std::size_t col) { return values[row * cols + col]; }
    double operator()(std::size_t row, std::size_t col) const { return values[row * cols + col]; }

    std::size_t rows = 0;
    std::size_t cols = 0;
    std::vector<double> values;
};

Matrix operator+(Matrix a, const Matrix& b);

/// Columns [first, first + count) of x, and putting them back.
Matrix columns(const Matrix& x, std::size_t first, std::size_t count);
void setColumns(Matrix& x, std::size_t first, const Matrix& part);

/// x W + b and x Wᵀ + b; an empty b adds nothing.
Matrix linear(const Matrix& x, const WeightTensor& W, const Tensor& b = {});
Matrix linearTransposed(const Matrix& x, const WeightTensor& W, const Tensor& b);

/// Of each row. LayerNorm (Ba et al. 2016): (x − mean) / √(variance + eps) · gain + bias.
/// RMSNorm (Zhang and Sennrich 2019): x / √(mean of x² + eps) · gain.
Matrix norm(Matrix x, const NormSpec& spec, const NormWeights& weights);

Matrix activated(Activation kind, Matrix x);

/// Of each row.
Matrix softmax(Matrix x);

/// Of each row and one more score, whose share is left out.
Matrix softmaxWithSink(const Matrix& x, double sink);

/// cap · tanh(x / cap); no cap when it is 0.
double softCap(double cap, double x);

/// Su et al. 2021: pair i of position p, read as a complex number, turns by the angle p θ_i.
/// x [position, d_head] of one head.
void rotate(const RotarySpec& rotary, Matrix& x);

} // namespace headscope::test
