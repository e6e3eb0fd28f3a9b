#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace headscope {

using Shape = std::vector<std::size_t>;

/// Number of elements; asserts that it fits, because shapes from files are checked before.
std::size_t elementCount(const Shape& shape);

/// Row-major strides in elements.
Shape contiguousStrides(const Shape& shape);

/// Memory that begins on a cache line, so that BLAS never starts in the middle of one; a large
/// block on huge pages where the system has them, which saves page faults. Throws std::bad_alloc.
void* allocateAligned(std::size_t bytes);
void freeAligned(void* block, std::size_t bytes);

/// `size` numbers in aligned memory, which are uninitialised until they are written. Not a
/// std::vector, which without full optimisation visits each number to destroy nothing.
template <class T>
class AlignedNumbers {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    AlignedNumbers() = default;
    explicit AlignedNumbers(std::size_t size);
    AlignedNumbers(const AlignedNumbers& other);
    AlignedNumbers(AlignedNumbers&& other) noexcept { swap(other); }
    AlignedNumbers& operator=(AlignedNumbers other) noexcept {
        swap(other);
        return *this;
    }
    ~AlignedNumbers() {
        if (data_ != nullptr)
            freeAligned(data_, size_ * sizeof(T));
    }

    T* data() { return data_; }
    const T* data() const { return data_; }
    std::size_t size() const { return size_; }

private:
    void swap(AlignedNumbers& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
    }

    T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// A matrix [rows, cols] somewhere in memory; consecutive rows are `stride` elements apart.
template <class T>
struct BasicMatrixView {
    T* data = nullptr;
    std::size_t rows = 0;
    std::size_t cols = 0;
    std::size_t stride = 0;

    T* row(std::size_t r) const { return data + r * stride; }
    T& operator()(std::size_t r, std::size_t c) const { return data[r * stride + c]; }

    BasicMatrixView rowRange(std::size_t begin, std::size_t count) const {
        return {data + begin * stride, count, cols, stride};
    }
    BasicMatrixView colRange(std::size_t begin, std::size_t count) const {
        return {data + begin, rows, count, stride};
    }

    operator BasicMatrixView<const T>() const requires(!std::is_const_v<T>) {
        return {data, rows, cols, stride};
    }
};
using MatrixView = BasicMatrixView<const float>;
using MutableMatrixView = BasicMatrixView<float>;

/// A tensor of any rank somewhere in memory, with strides in elements.
template <class T>
struct BasicTensorView {
    T* data = nullptr;
    Shape shape;
    Shape strides;

    std::size_t rank() const { return shape.size(); }
    std::size_t size() const { return elementCount(shape); }

    template <class... Index>
    T& operator()(Index... index) const {
        const std::size_t position[] = {static_cast<std::size_t>(index)...};
        std::size_t offset = 0;
        for (std::size_t axis = 0; axis < sizeof...(Index); ++axis)
            offset += position[axis] * strides[axis];
        return data[offset];
    }

    operator BasicTensorView<const T>() const requires(!std::is_const_v<T>) {
        return {data, shape, strides};
    }
};
using TensorView = BasicTensorView<const float>;
using MutableTensorView = BasicTensorView<float>;

/// A dense row-major tensor that owns its memory or borrows it. A default-made one is empty and
/// means "this network has no such tensor". Made for float32 numbers and for 16-bit words.
template <class T>
class BasicTensor {
public:
    BasicTensor() = default;
    explicit BasicTensor(Shape shape, T fill = T{});
    /// Whose numbers are written before they are read.
    static BasicTensor uninitialised(Shape shape);
    /// The numbers of another tensor, which `owner` keeps as they are, without a copy of them. The
    /// first access that could write makes the copy, which two threads must not do at once.
    static BasicTensor borrowed(const BasicTensor& tensor, std::shared_ptr<const void> owner);

    bool empty() const { return size() == 0; }
    const Shape& shape() const { return shape_; }
    std::size_t rank() const { return shape_.size(); }
    std::size_t dim(std::size_t axis) const { return shape_[axis]; }
    std::size_t size() const { return values().size(); }

    T* data() { return values().data(); }
    const T* data() const { return values().data(); }
    std::span<T> values() {
        if (owner_)
            own();
        return {values_.data(), values_.size()};
    }
    std::span<const T> values() const {
        return owner_ ? borrowed_ : std::span<const T>{values_.data(), values_.size()};
    }

    template <class... Index>
    T& operator()(Index... index) {
        return data()[offset({static_cast<std::size_t>(index)...})];
    }
    template <class... Index>
    T operator()(Index... index) const {
        return data()[offset({static_cast<std::size_t>(index)...})];
    }

    BasicTensorView<T> view() { return {data(), shape_, contiguousStrides(shape_)}; }
    BasicTensorView<const T> view() const { return {data(), shape_, contiguousStrides(shape_)}; }

    /// All leading axes folded into rows: [.., cols] as a matrix.
    BasicMatrixView<T> matrix();
    BasicMatrixView<const T> matrix() const;

private:
    std::size_t offset(std::initializer_list<std::size_t> index) const;
    void own();

    Shape shape_;
    AlignedNumbers<T> values_;
    std::shared_ptr<const void> owner_; ///< of the numbers in place of `values_`; null: none
    std::span<const T> borrowed_;
};
using Tensor = BasicTensor<float>;

extern template class BasicTensor<float>;
extern template class BasicTensor<std::uint16_t>;

/// The same values, packed densely.
Tensor copyOf(const TensorView& view);

/// from [rows, cols] to `to` [cols, rows], in square tiles, which suit both orders.
void transposeInto(MatrixView from, MutableMatrixView to);

} // namespace headscope
