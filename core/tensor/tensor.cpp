#include "core/tensor/tensor.h"

#include "core/base/checked.h"

#include <algorithm>
#include <cassert>

namespace headscope {

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

Tensor::Tensor(Shape shape, float fill)
    : shape_(std::move(shape)), values_(elementCount(shape_), fill) {}

MutableMatrixView Tensor::matrix() {
    const std::size_t cols = shape_.empty() ? 1 : shape_.back();
    return {data(), cols == 0 ? 0 : size() / cols, cols, cols};
}

MatrixView Tensor::matrix() const {
    const std::size_t cols = shape_.empty() ? 1 : shape_.back();
    return {data(), cols == 0 ? 0 : size() / cols, cols, cols};
}

std::size_t Tensor::offset(std::initializer_list<std::size_t> index) const {
    assert(index.size() == shape_.size());
    std::size_t offset = 0;
    auto axis = shape_.begin();
    for (const std::size_t i : index) {
        assert(i < *axis);
        offset = offset * *axis++ + i;
    }
    return offset;
}

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
    Tensor copy(view.shape);
    if (view.strides == contiguousStrides(view.shape)) {
        std::copy_n(view.data, copy.size(), copy.data());
    } else {
        float* target = copy.data();
        copyAxis(view, 0, view.data, target);
    }
    return copy;
}

} // namespace headscope
