#include "core/tensor/weight_tensor.h"

#include "core/tensor/half.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace headscope {

WeightMatrix::WeightMatrix(MatrixView floats)
    : rows(floats.rows), cols(floats.cols), stride(floats.stride), data_(floats.data) {}

WeightMatrix::WeightMatrix(FloatFormat narrow, BasicMatrixView<const std::uint16_t> words)
    : rows(words.rows), cols(words.cols), stride(words.stride), data_(words.data), format_(narrow) {
    assert(isNarrow());
}

MatrixView WeightMatrix::floats() const {
    assert(!isNarrow());
    return {static_cast<const float*>(data_), rows, cols, stride};
}

WeightMatrix WeightMatrix::part(std::size_t offset, std::size_t n_rows, std::size_t n_cols) const {
    WeightMatrix part = *this;
    part.data_ = static_cast<const std::byte*>(data_) + offset * bytesPerNumber(format_);
    part.rows = n_rows;
    part.cols = n_cols;
    return part;
}

WeightMatrix WeightMatrix::rowRange(std::size_t begin, std::size_t count) const {
    return part(begin * stride, count, cols);
}

WeightMatrix WeightMatrix::colRange(std::size_t begin, std::size_t count) const {
    return part(begin, rows, count);
}

float WeightMatrix::operator()(std::size_t r, std::size_t c) const {
    const std::size_t offset = r * stride + c;
    if (!isNarrow())
        return static_cast<const float*>(data_)[offset];
    return widen(format_, static_cast<const std::uint16_t*>(data_)[offset]);
}

void WeightMatrix::widenInto(MutableMatrixView target) const {
    assert(target.rows == rows && target.cols == cols);
    parallelRows(rows, cols, [&](RowRange range) {
        for (std::size_t r = range.begin; r < range.begin + range.count; ++r) {
            if (isNarrow())
                widen(format_, {static_cast<const std::uint16_t*>(data_) + r * stride, cols},
                      {target.row(r), cols});
            else
                std::copy_n(floats().row(r), cols, target.row(r));
        }
    });
}

WidenedMatrix::WidenedMatrix(const WeightMatrix& matrix) {
    if (matrix.isNarrow()) {
        copy_ = widened(matrix);
        view_ = std::as_const(copy_).matrix();
    } else {
        view_ = matrix.floats();
    }
}

Tensor widened(const WeightMatrix& matrix) {
    Tensor copy = Tensor::uninitialised({matrix.rows, matrix.cols});
    matrix.widenInto(copy.matrix());
    return copy;
}

std::vector<double> columnMeans(const WeightMatrix& matrix) {
    constexpr std::size_t kRows = 64;
    // Wide parts: memory is read fast where it is read on and on.
    const std::size_t each = (matrix.cols + threads() - 1) / threads();
    std::vector<double> means(matrix.cols, 0.0);
    parallelFor(threads(), [&](std::size_t part, std::size_t) {
        const std::size_t begin = std::min(matrix.cols, part * each);
        const std::size_t count = std::min(each, matrix.cols - begin);
        double* const sums = means.data() + begin;
        for (std::size_t row = 0; row < matrix.rows; row += kRows) {
            const WeightMatrix rows = matrix.rowRange(row, std::min(kRows, matrix.rows - row));
            const WidenedMatrix wide(rows.colRange(begin, count));
            for (std::size_t r = 0; r < rows.rows; ++r)
                for (std::size_t c = 0; c < count; ++c)
                    sums[c] += static_cast<double>(wide->row(r)[c]);
        }
        for (std::size_t c = 0; c < count; ++c)
            sums[c] /= static_cast<double>(matrix.rows);
    });
    return means;
}

WeightTensor::WeightTensor(Tensor floats) : floats_(std::move(floats)) {}

WeightTensor::WeightTensor(FloatFormat narrow, BasicTensor<std::uint16_t> words)
    : format_(narrow), words_(std::move(words)) {
    assert(isNarrow());
}

WeightTensor::WeightTensor(FloatFormat format, Shape shape) : format_(format) {
    if (isNarrow())
        words_ = BasicTensor<std::uint16_t>(std::move(shape));
    else
        floats_ = Tensor(std::move(shape));
}

WeightTensor WeightTensor::borrowed(const WeightTensor& other, std::shared_ptr<const void> owner) {
    WeightTensor borrower;
    borrower.format_ = other.format_;
    if (other.isNarrow())
        borrower.words_ = BasicTensor<std::uint16_t>::borrowed(other.words_, std::move(owner));
    else
        borrower.floats_ = Tensor::borrowed(other.floats_, std::move(owner));
    return borrower;
}

WeightMatrix WeightTensor::matrix() const {
    return isNarrow() ? WeightMatrix(format_, words_.matrix()) : WeightMatrix(floats_.matrix());
}

Tensor WeightTensor::widened() const {
    Tensor wide = Tensor::uninitialised(shape());
    matrix().widenInto(wide.matrix());
    return wide;
}

Tensor& WeightTensor::floats() {
    if (isNarrow())
        *this = widened();
    return floats_;
}

const Tensor& WeightTensor::floats() const {
    assert(!isNarrow());
    return floats_;
}

BasicTensor<std::uint16_t>& WeightTensor::words() {
    assert(isNarrow());
    return words_;
}

} // namespace headscope
