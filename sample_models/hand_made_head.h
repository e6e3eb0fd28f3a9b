#pragma once

#include "core/tensor/tensor.h"

#include <array>
#include <cstddef>

namespace headscope {

constexpr std::size_t kWord = 8; ///< dimensions of a block of the residual stream, and of a head
constexpr std::size_t kModel = 32;

/// Four +1 and four −1.
using Word = std::array<float, kWord>;

/// Weights of one layer in GPT-2's layout: Conv1D matrices are [in, out], c_attn holds the columns
/// of all queries, then keys, then values.
struct Layer {
    Tensor ln_weight{{kModel}, 1.0f};
    Tensor ln_bias{{kModel}};
    Tensor c_attn_weight{{kModel, 3 * kModel}};
    Tensor c_attn_bias{{3 * kModel}};
    Tensor c_proj_weight{{kModel, kModel}};
    Tensor c_proj_bias{{kModel}};
};

/// One head of a layer, built from a few moves. Its last dimension is 1 in every query and so adds
/// to the scores what depends on the key alone.
class Head {
public:
    Head(Layer& layer, std::size_t head) : layer_(layer), q_(head * kWord) {
        layer_.c_attn_bias(q_ + kConstant) = 1.0f;
    }

    /// Adds strength · (a · b − 8), where a is the query's word in one block and b the key's in
    /// another: 0 where they agree, at most −4 · strength elsewhere. Seven products are enough
    /// because a word sums to 0: Σ a_i b_i over 8 is Σ a_i (b_i − b_8) over 7.
    void match(std::size_t query_block, std::size_t key_block, float strength) {
        for (std::size_t i = 0; i + 1 < kWord; ++i) {
            layer_.c_attn_weight(query_block + i, q_ + i) = strength;
            layer_.c_attn_weight(key_block + i, k() + i) = 1.0f;
            layer_.c_attn_weight(key_block + kWord - 1, k() + i) = -1.0f;
        }
        layer_.c_attn_bias(k() + kConstant) -= strength * float{kWord};
    }

    /// Adds weights · b for every query, where b is the key's word in a block.
    void prefer(std::size_t key_block, const Word& weights) {
        for (std::size_t i = 0; i < kWord; ++i)
            layer_.c_attn_weight(key_block + i, k() + kConstant) += weights[i];
    }

    /// Moves what it attends to from one block to another, without its part along `without`.
    void copy(std::size_t from, std::size_t to, float strength, const Word& without = {}) {
        for (std::size_t i = 0; i < kWord; ++i) {
            for (std::size_t j = 0; j < kWord; ++j)
                layer_.c_attn_weight(from + i, v() + j) =
                    (i == j ? 1.0f : 0.0f) - without[i] * without[j] / float{kWord};
            layer_.c_proj_weight(q_ + i, to + i) = strength;
        }
    }

private:
    static constexpr std::size_t kConstant = kWord - 1;

    std::size_t k() const { return kModel + q_; }
    std::size_t v() const { return 2 * kModel + q_; }

    Layer& layer_;
    std::size_t q_; // first column of its queries, and first row of its z
};

} // namespace headscope
