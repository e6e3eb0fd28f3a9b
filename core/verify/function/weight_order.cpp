#include "core/verify/function/weight_order.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace headscope {

namespace {

/// A matrix of the same shape whose number at [r, c] is that of source(r, c).
template <class Source>
WeightTensor taken(const WeightTensor& matrix, Source source) {
    return matrix.rearranged([&](const auto& numbers) {
        auto target = std::remove_cvref_t<decltype(numbers)>::uninitialised(numbers.shape());
        const auto from = numbers.matrix();
        const auto to = target.matrix();
        for (std::size_t r = 0; r < to.rows; ++r)
            for (std::size_t c = 0; c < to.cols; ++c) {
                const auto [row, col] = source(r, c);
                to(r, c) = from(row, col);
            }
        return target;
    });
}

using Place = std::pair<std::size_t, std::size_t>;

} // namespace

Order sameOrder(std::size_t count) {
    Order order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

Order blockOrder(std::span<const std::size_t> blocks, std::size_t width) {
    Order order;
    order.reserve(blocks.size() * width);
    for (const std::size_t block : blocks)
        for (std::size_t i = 0; i < width; ++i)
            order.push_back(block * width + i);
    return order;
}

Order transposedOrder(std::size_t outer, std::size_t inner) {
    Order order;
    order.reserve(outer * inner);
    for (std::size_t i = 0; i < inner; ++i)
        for (std::size_t o = 0; o < outer; ++o)
            order.push_back(o * inner + i);
    return order;
}

void setPart(Order& all, std::size_t begin, std::span<const std::size_t> part) {
    for (std::size_t i = 0; i < part.size(); ++i)
        all[begin + i] = begin + part[i];
}

void reorderRows(WeightTensor& matrix, std::span<const std::size_t> order) {
    matrix = taken(matrix, [&](std::size_t r, std::size_t c) { return Place(order[r], c); });
}

void reorderColumns(WeightTensor& matrix, std::span<const std::size_t> order) {
    matrix = taken(matrix, [&](std::size_t r, std::size_t c) { return Place(r, order[c]); });
}

void reorderVector(Tensor& vector, std::span<const std::size_t> order) {
    if (vector.empty())
        return;
    Tensor target = Tensor::uninitialised(vector.shape());
    const Tensor& source = vector;
    for (std::size_t i = 0; i < order.size(); ++i)
        target(i) = source(order[i]);
    vector = std::move(target);
}

void transpose(WeightTensor& matrix) {
    matrix = taken(matrix, [](std::size_t r, std::size_t c) { return Place(c, r); });
}

void transposeColumns(WeightTensor& matrix, std::size_t begin, std::size_t width) {
    matrix = taken(matrix, [&](std::size_t r, std::size_t c) {
        const bool inside = c >= begin && c < begin + width;
        return inside ? Place(c - begin, begin + r) : Place(r, c);
    });
}

} // namespace headscope
