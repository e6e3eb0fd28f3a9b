#include "core/tensor/tensor.h"

#include "core/base/memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <new>
#include <utility>

namespace headscope {

namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{1} << 21;

std::align_val_t alignmentOf(std::size_t bytes) {
    return std::align_val_t{bytes >= 2 * kHugePage ? kHugePage : kCacheLine};
}

} // namespace

void* allocateAligned(std::size_t bytes) {
    void* const block = ::operator new(bytes, alignmentOf(bytes));
    if (bytes >= 2 * kHugePage)
        ::madvise(block, bytes, MADV_HUGEPAGE); // a wish; refused is as good as before
    return block;
}

void freeAligned(void* block, std::size_t bytes) {
    ::operator delete(block, alignmentOf(bytes));
}

template <class T>
AlignedNumbers<T>::AlignedNumbers(std::size_t size) {
    if (size == 0)
        return;
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T))
        throw std::bad_alloc();
    data_ = static_cast<T*>(allocateAligned(size * sizeof(T)));
    size_ = size;
}

template <class T>
AlignedNumbers<T>::AlignedNumbers(const AlignedNumbers& other) : AlignedNumbers(other.size_) {
    std::copy_n(other.data_, size_, data_);
}

std::size_t elementCount(const Shape& shape) {
    const auto count = checkedProduct(shape);
    assert(count.has_value());
    return count.value_or(0);
}

Shape contiguousStrides(const Shape& shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * shape[axis];
    return strides;
}

template <class T>
BasicTensor<T>::BasicTensor(Shape shape, T fill)
    : shape_(std::move(shape)), values_(elementCount(shape_)) {
    std::fill_n(values_.data(), values_.size(), fill);
}

template <class T>
BasicTensor<T> BasicTensor<T>::uninitialised(Shape shape) {
    BasicTensor tensor;
    tensor.shape_ = std::move(shape);
    tensor.values_ = AlignedNumbers<T>(elementCount(tensor.shape_));
    return tensor;
}

template <class T>
BasicTensor<T> BasicTensor<T>::borrowed(const BasicTensor& tensor,
                                        std::shared_ptr<const void> owner) {
    BasicTensor borrower;
    borrower.shape_ = tensor.shape_;
    borrower.borrowed_ = tensor.values();
    borrower.owner_ = std::move(owner);
    return borrower;
}

template <class T>
void BasicTensor<T>::own() {
    values_ = AlignedNumbers<T>(borrowed_.size());
    std::ranges::copy(borrowed_, values_.data());
    borrowed_ = {};
    owner_.reset();
}

template <class T>
BasicMatrixView<T> BasicTensor<T>::matrix() {
    const std::size_t cols = shape_.empty() ? 1 : shape_.back();
    return {data(), cols == 0 ? 0 : size() / cols, cols, cols};
}

template <class T>
BasicMatrixView<const T> BasicTensor<T>::matrix() const {
    const std::size_t cols = shape_.empty() ? 1 : shape_.back();
    return {data(), cols == 0 ? 0 : size() / cols, cols, cols};
}

template <class T>
std::size_t BasicTensor<T>::offset(std::initializer_list<std::size_t> index) const {
    assert(index.size() == shape_.size());
    std::size_t offset = 0;
    auto axis = shape_.begin();
    for (const std::size_t i : index) {
        assert(i < *axis);
        offset = offset * *axis++ + i;
    }
    return offset;
}

template class AlignedNumbers<float>;
template class AlignedNumbers<std::uint16_t>;
template class BasicTensor<float>;
template class BasicTensor<std::uint16_t>;

namespace {

void copyAxis(const TensorView& from, std::size_t axis, const float* source, float*& target) {
    if (axis == from.rank()) {
        *target++ = *source;
        return;
    }
    for (std::size_t i = 0; i < from.shape[axis]; ++i)
        copyAxis(from, axis + 1, source + i * from.strides[axis], target);
}

} // namespace

Tensor copyOf(const TensorView& view) {
    Tensor copy = Tensor::uninitialised(view.shape);
    if (view.strides == contiguousStrides(view.shape)) {
        std::copy_n(view.data, copy.size(), copy.data());
    } else {
        float* target = copy.data();
        copyAxis(view, 0, view.data, target);
    }
    return copy;
}

void transposeInto(MatrixView from, MutableMatrixView to) {
    assert(to.rows == from.cols && to.cols == from.rows);
    constexpr std::size_t tile = 32;
    for (std::size_t row = 0; row < from.rows; row += tile)
        for (std::size_t col = 0; col < from.cols; col += tile)
            for (std::size_t r = row; r < std::min(row + tile, from.rows); ++r)
                for (std::size_t c = col; c < std::min(col + tile, from.cols); ++c)
                    to(c, r) = from(r, c);
}

} // namespace headscope
