#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace headscope {

/// A tensor's name taken apart: "blk.3.attn_q.weight" to "blk.{}.attn_q", "3" and ".weight", and
/// "model.layers.3.mlp.up_proj.weight" likewise.
struct NameParts {
    std::string stem;
    std::string layer; ///< empty outside of the layers
    std::string ending;
};
NameParts partsOf(const std::string& name);

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

/// Each of `n` matrices [rows, cols] to [cols, rows].
void transposeEach(std::span<float> matrices, std::size_t n, std::size_t rows);

/// Each of `n` matrices [2·half, width] to [width, 2·half], in which columns that were rows of the
/// first half alternate with those of the second.
void alternateColumns(std::span<float> matrices, std::size_t n, std::size_t width);

/// The other way round.
void stackAlternateColumns(std::span<float> matrices, std::size_t n, std::size_t width);

/// Groups of a KV head to [all queries; all keys; all values].
void sortQkvApart(std::span<float> rows, std::size_t n_heads, std::size_t n_kv_heads,
                  std::size_t d_head, std::size_t width);

} // namespace headscope
