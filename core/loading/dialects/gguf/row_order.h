#pragma once

#include <cstddef>
#include <span>

namespace headscope {

// What llama.cpp's conversion does to the rows of projections, done and undone in place. Rows are
// `width` values long, those of a bias one.

/// Rows of a head in the order 0, d/2, 1, d/2 + 1, … (rotary pairs side by side) back to 0, 1, 2,
/// ….
void undoAdjacentPairs(std::span<float> rows, std::size_t d_head, std::size_t width);

/// Rows 0, 1, 2, … of a head to that order.
void pairAdjacent(std::span<float> rows, std::size_t d_head, std::size_t width);

/// Rows [all queries; all keys; all values] back to groups of a KV head: its queries, its key, its
/// value.
void undoQkvApart(std::span<float> rows, std::size_t n_heads, std::size_t n_kv_heads,
                  std::size_t d_head, std::size_t width);

/// Groups of a KV head to [all queries; all keys; all values].
void sortQkvApart(std::span<float> rows, std::size_t n_heads, std::size_t n_kv_heads,
                  std::size_t d_head, std::size_t width);

} // namespace headscope
