#include "tests/support/reference_math.h"

#include "core/model/rotary_frequencies.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

namespace headscope::test {

namespace {

/// [rows, width], every row b
Matrix biases(std::size_t rows, std::size_t width, const Tensor& b) {
    Matrix y(rows, width);
    if (!b.empty())
        for (std::size_t r = 0; r < rows; ++r)
            std::ranges::copy(b.values(), &y(r, 0));
    return y;
}

/// Row r of y grows by factor · row, which has as many numbers.
void addRow(Matrix& y, std::size_t r, double factor, const float* row) {
    double* sum = &y(r, 0);
    for (std::size_t c = 0; c < y.cols; ++c)
        sum[c] += factor * double{row[c]};
}

/// Of row r of x and a row of as many numbers.
double inner(const Matrix& x, std::size_t r, const float* row) {
    const double* values = x.values.data() + r * x.cols;
    double sum = 0.0;
    for (std::size_t c = 0; c < x.cols; ++c)
        sum += values[c] * double{row[c]};
    return sum;
}

double activation(Activation kind, double x) {
    using std::numbers::pi;
    switch (kind) {
    case Activation::Relu:
        return x > 0.0 ? x : 0.0;
    case Activation::ReluSquared: // So et al. 2021
        return x > 0.0 ? x * x : 0.0;
    case Activation::GeluErf: // Hendrycks and Gimpel 2016: x Φ(x)
        return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    case Activation::GeluTanh: // their approximation by tanh
        return 0.5 * x * (1.0 + std::tanh(std::sqrt(2.0 / pi) * (x + 0.044715 * x * x * x)));
    case Activation::QuickGelu: // their approximation by a sigmoid
        return x / (1.0 + std::exp(-1.702 * x));
    case Activation::Silu:
        return x / (1.0 + std::exp(-x));
    case Activation::Solu: // no function of one number: activated()
        break;
    }
    return 0.0;
}

} // namespace

Matrix operator+(Matrix a, const Matrix& b) {
    for (std::size_t i = 0; i < a.values.size(); ++i)
        a.values[i] += b.values[i];
    return a;
}

Matrix columns(const Matrix& x, std::size_t first, std::size_t count) {
    Matrix part(x.rows, count);
    for (std::size_t r = 0; r < x.rows; ++r)
        for (std::size_t c = 0; c < count; ++c)
            part(r, c) = x(r, first + c);
    return part;
}

void setColumns(Matrix& x, std::size_t first, const Matrix& part) {
    for (std::size_t r = 0; r < part.rows; ++r)
        for (std::size_t c = 0; c < part.cols; ++c)
            x(r, first + c) = part(r, c);
}

Matrix linear(const Matrix& x, const WeightTensor& W, const Tensor& b) {
    const WidenedMatrix weight(W.matrix());
    Matrix y = biases(x.rows, weight->cols, b);
    for (std::size_t r = 0; r < x.rows; ++r)
        for (std::size_t i = 0; i < x.cols; ++i)
            addRow(y, r, x(r, i), weight->row(i));
    return y;
}

Matrix linearTransposed(const Matrix& x, const WeightTensor& W, const Tensor& b) {
    const WidenedMatrix weight(W.matrix());
    Matrix y = biases(x.rows, weight->rows, b);
    for (std::size_t c = 0; c < weight->rows; ++c)
        for (std::size_t r = 0; r < x.rows; ++r)
            y(r, c) += inner(x, r, weight->row(c));
    return y;
}

Matrix norm(Matrix x, const NormSpec& spec, const NormWeights& weights) {
    const auto n = static_cast<double>(x.cols);
    for (std::size_t r = 0; r < x.rows; ++r) {
        double mean = 0.0;
        if (spec.kind == NormKind::LayerNorm)
            for (std::size_t c = 0; c < x.cols; ++c)
                mean += x(r, c) / n;
        double mean_square = 0.0;
        for (std::size_t c = 0; c < x.cols; ++c)
            mean_square += (x(r, c) - mean) * (x(r, c) - mean) / n;
        for (std::size_t c = 0; c < x.cols; ++c) {
            x(r, c) = (x(r, c) - mean) / std::sqrt(mean_square + spec.eps);
            if (!weights.weight.empty())
                x(r, c) *= weights.weight.values()[c];
            if (!weights.bias.empty())
                x(r, c) += weights.bias.values()[c];
        }
    }
    return x;
}

Matrix activated(Activation kind, Matrix x) {
    if (kind == Activation::Solu) {
        const Matrix shares = softmax(x);
        for (std::size_t i = 0; i < x.values.size(); ++i)
            x.values[i] *= shares.values[i];
        return x;
    }
    for (double& value : x.values)
        value = activation(kind, value);
    return x;
}

Matrix softmax(Matrix x) {
    for (std::size_t r = 0; r < x.rows; ++r) {
        double largest = x(r, 0);
        for (std::size_t c = 1; c < x.cols; ++c)
            largest = std::max(largest, x(r, c));
        double sum = 0.0;
        for (std::size_t c = 0; c < x.cols; ++c)
            sum += std::exp(x(r, c) - largest);
        for (std::size_t c = 0; c < x.cols; ++c)
            x(r, c) = std::exp(x(r, c) - largest) / sum;
    }
    return x;
}

Matrix softmaxWithSink(const Matrix& x, double sink) {
    Matrix all(x.rows, x.cols + 1);
    setColumns(all, 0, x);
    for (std::size_t r = 0; r < x.rows; ++r)
        all(r, x.cols) = sink;
    return columns(softmax(std::move(all)), 0, x.cols);
}

double softCap(double cap, double x) {
    return cap == 0.0 ? x : cap * std::tanh(x / cap);
}

void rotate(const RotarySpec& rotary, Matrix& x) {
    const std::vector<double> theta = rotaryFrequencies(rotary, x.rows);
    const bool adjacent = rotary.pairs == RotaryPairs::Adjacent;
    for (std::size_t p = 0; p < x.rows; ++p) {
        for (std::size_t i = 0; i < theta.size(); ++i) {
            double& re = x(p, adjacent ? 2 * i : i);
            double& im = x(p, adjacent ? 2 * i + 1 : i + theta.size());
            const auto turned = std::complex(re, im) *
                                std::polar(rotary.amplitude, static_cast<double>(p) * theta[i]);
            re = turned.real();
            im = turned.imag();
        }
    }
}

} // namespace headscope::test
