#pragma once

#include "core/tensor/tensor.h"
#include "core/tensor/weight_tensor.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// Which row or column of the old tensor each of the new one has.
using Order = std::vector<std::size_t>;

/// 0, 1, 2, …
Order sameOrder(std::size_t count);
/// Blocks of `width` numbers: place `i` has the block that `blocks` says.
Order blockOrder(std::span<const std::size_t> blocks, std::size_t width);
/// `outer` blocks of `inner` numbers become `inner` blocks of `outer` numbers.
Order transposedOrder(std::size_t outer, std::size_t inner);
/// Puts an order of a part of the numbers at its place in an order of all of them.
void setPart(Order& all, std::size_t begin, std::span<const std::size_t> part);

void reorderRows(WeightTensor& matrix, std::span<const std::size_t> order);
void reorderColumns(WeightTensor& matrix, std::span<const std::size_t> order);
/// An empty one stays empty.
void reorderVector(Tensor& vector, std::span<const std::size_t> order);
/// Transposes a square matrix.
void transpose(WeightTensor& matrix);
/// Transposes `width` columns that are as many as the rows.
void transposeColumns(WeightTensor& matrix, std::size_t begin, std::size_t width);

} // namespace headscope
