#pragma once

#include "core/tensor/half.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace headscope {

/// A matrix of weights [rows, cols] somewhere in memory; consecutive rows are `stride` elements
/// apart. Numbers that are narrower than float32 are widened where they are used, which is exact.
class WeightMatrix {
public:
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t stride = 0;

    WeightMatrix() = default;
    WeightMatrix(MatrixView floats);
    WeightMatrix(FloatFormat narrow, BasicMatrixView<const std::uint16_t> words);

    FloatFormat format() const { return format_; }
    bool isNarrow() const { return format_ != FloatFormat::Float32; }
    /// The first number, of that format.
    const void* data() const { return data_; }
    /// A view of numbers that are stored as float32.
    MatrixView floats() const;

    WeightMatrix rowRange(std::size_t begin, std::size_t count) const;
    WeightMatrix colRange(std::size_t begin, std::size_t count) const;

    float operator()(std::size_t r, std::size_t c) const;
    /// All numbers as float32; `target` has the same shape.
    void widenInto(MutableMatrixView target) const;

private:
    WeightMatrix part(std::size_t offset, std::size_t n_rows, std::size_t n_cols) const;

    const void* data_ = nullptr;
    FloatFormat format_ = FloatFormat::Float32;
};

/// A matrix of weights as float32 while this lives: itself if it is stored so, else a copy.
class WidenedMatrix {
public:
    explicit WidenedMatrix(const WeightMatrix& matrix);
    WidenedMatrix(const WidenedMatrix&) = delete;
    WidenedMatrix& operator=(const WidenedMatrix&) = delete;

    const MatrixView& operator*() const { return view_; }
    const MatrixView* operator->() const { return &view_; }

private:
    Tensor copy_;
    MatrixView view_;
};

/// A copy as float32, [rows, cols].
Tensor widened(const WeightMatrix& matrix);

/// The mean of each column [cols]; the same to the bit on any number of threads.
std::vector<double> columnMeans(const WeightMatrix& matrix);

/// A dense row-major tensor of weights, as narrow as its file holds it. A default-made one is empty
/// and means "this network has no such tensor".
class WeightTensor {
public:
    WeightTensor() = default;
    WeightTensor(Tensor floats);
    WeightTensor(FloatFormat narrow, BasicTensor<std::uint16_t> words);
    /// A tensor of zeros.
    WeightTensor(FloatFormat format, Shape shape);
    /// The numbers of another, which `owner` keeps (Tensor::borrowed()).
    static WeightTensor borrowed(const WeightTensor& other, std::shared_ptr<const void> owner);

    FloatFormat format() const { return format_; }
    bool isNarrow() const { return format_ != FloatFormat::Float32; }
    const Shape& shape() const { return isNarrow() ? words_.shape() : floats_.shape(); }
    std::size_t rank() const { return shape().size(); }
    std::size_t dim(std::size_t axis) const { return shape()[axis]; }
    std::size_t size() const { return isNarrow() ? words_.size() : floats_.size(); }
    bool empty() const { return size() == 0; }

    /// All leading axes folded into rows.
    WeightMatrix matrix() const;
    template <class... Index>
    float operator()(Index... index) const {
        const std::size_t position[] = {static_cast<std::size_t>(index)...};
        std::size_t row = 0; // over all leading axes
        for (std::size_t axis = 0; axis + 1 < sizeof...(Index); ++axis)
            row = row * dim(axis) + position[axis];
        return matrix()(row, position[sizeof...(Index) - 1]);
    }

    /// A copy of the same shape as float32.
    Tensor widened() const;
    /// `rearrange` gets the numbers in their own format and gives a BasicTensor of some or all of
    /// them in another order.
    template <class Rearrange>
    WeightTensor rearranged(Rearrange rearrange) const {
        return isNarrow() ? WeightTensor(format_, rearrange(words_))
                          : WeightTensor(rearrange(floats_));
    }

    /// The numbers as float32, to be changed: narrow ones are wide from then on.
    Tensor& floats();
    /// The numbers of a tensor that is stored as float32.
    const Tensor& floats() const;
    /// The numbers of a narrow format, to be changed.
    BasicTensor<std::uint16_t>& words();

private:
    FloatFormat format_ = FloatFormat::Float32;
    Tensor floats_;                    ///< where the format is float32
    BasicTensor<std::uint16_t> words_; ///< of a narrow format
};

} // namespace headscope
