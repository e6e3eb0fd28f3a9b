#include "core/loading/dialects/gguf/tensor_forms.h"

#include "core/base/text.h"
#include "core/tensor/tensor.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace headscope {

NameParts partsOf(const std::string& name) {
    NameParts parts;
    parts.ending = name.substr(std::min(name.size(), name.rfind('.')));
    std::vector<std::string> words = split(name.substr(0, name.size() - parts.ending.size()), '.');
    for (std::string& word : words)
        if (parts.layer.empty() && parseNumber<std::size_t>(word))
            parts.layer = std::exchange(word, "{}");
    parts.stem = join(words, ".");
    return parts;
}

namespace {

/// Row `i` of each run of order.size() rows becomes what was row order[i] of it.
void reorderRows(std::span<float> rows, const std::vector<std::size_t>& order, std::size_t width) {
    const std::size_t run = order.size() * width;
    std::vector<float> stored(run);
    for (std::size_t begin = 0; begin + run <= rows.size(); begin += run) {
        const std::span<float> values = rows.subspan(begin, run);
        std::ranges::copy(values, stored.begin());
        for (std::size_t row = 0; row < order.size(); ++row)
            std::copy_n(stored.begin() + static_cast<std::ptrdiff_t>(order[row] * width), width,
                        values.begin() + static_cast<std::ptrdiff_t>(row * width));
    }
}

/// The place of row i of a head among adjacent pairs.
std::vector<std::size_t> adjacentPairs(std::size_t d_head) {
    std::vector<std::size_t> order(d_head);
    for (std::size_t row = 0; row < d_head; ++row)
        order[row] = row % (d_head / 2) * 2 + row / (d_head / 2);
    return order;
}

/// The place of the i-th head of the groups among [queries; keys; values].
std::vector<std::size_t> headsApart(std::size_t n_heads, std::size_t n_kv_heads) {
    const std::size_t group = n_heads / n_kv_heads;
    std::vector<std::size_t> order;
    for (std::size_t kv_head = 0; kv_head < n_kv_heads; ++kv_head) {
        for (std::size_t i = 0; i < group; ++i)
            order.push_back(kv_head * group + i);
        order.push_back(n_heads + kv_head);
        order.push_back(n_heads + n_kv_heads + kv_head);
    }
    return order;
}

std::vector<std::size_t> inverse(const std::vector<std::size_t>& order) {
    std::vector<std::size_t> inverted(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        inverted[order[i]] = i;
    return inverted;
}

} // namespace

void undoAdjacentPairs(std::span<float> rows, std::size_t d_head, std::size_t width) {
    reorderRows(rows, adjacentPairs(d_head), width);
}

void pairAdjacent(std::span<float> rows, std::size_t d_head, std::size_t width) {
    reorderRows(rows, inverse(adjacentPairs(d_head)), width);
}

void transposeEach(std::span<float> matrices, std::size_t n, std::size_t rows) {
    const std::size_t size = matrices.size() / n;
    const std::size_t cols = size / rows;
    std::vector<float> stored(size);
    for (std::size_t i = 0; i < n; ++i) {
        const std::span<float> matrix = matrices.subspan(i * size, size);
        std::ranges::copy(matrix, stored.begin());
        transposeInto({stored.data(), rows, cols, cols}, {matrix.data(), cols, rows, rows});
    }
}

void alternateColumns(std::span<float> matrices, std::size_t n, std::size_t width) {
    const std::size_t rows = matrices.size() / n / width;
    pairAdjacent(matrices, rows, width);
    transposeEach(matrices, n, rows);
}

void stackAlternateColumns(std::span<float> matrices, std::size_t n, std::size_t width) {
    transposeEach(matrices, n, width);
    undoAdjacentPairs(matrices, matrices.size() / n / width, width);
}

void undoQkvApart(std::span<float> rows, std::size_t n_heads, std::size_t n_kv_heads,
                  std::size_t d_head, std::size_t width) {
    reorderRows(rows, headsApart(n_heads, n_kv_heads), d_head * width);
}

void sortQkvApart(std::span<float> rows, std::size_t n_heads, std::size_t n_kv_heads,
                  std::size_t d_head, std::size_t width) {
    reorderRows(rows, inverse(headsApart(n_heads, n_kv_heads)), d_head * width);
}

} // namespace headscope
