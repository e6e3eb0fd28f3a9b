#pragma once

#include "core/model/model_spec.h"
#include "core/model/weights.h"
#include "core/tensor/tensor.h"

#include <cstddef>

namespace headscope {

/// As what a head reads the residual stream.
enum class HeadRead { Query, Key, Value };

/// How one head makes its queries, keys or values of what attention reads, x: x · W + b.
struct HeadColumns {
    Tensor W; ///< [d_model, d_head], of values [d_model, d_head_v]
    Tensor b; ///< [d_head] or [d_head_v]; empty: none
};

/// Columns of W_QKV and b_QKV. With ModelSpec::latent the products through the latent, with the
/// gains of its norm and without the division by its scale: of keys that division is still to be
/// done in all but the LatentSpec::d_shared leading columns, of values in all, and of queries in
/// all if they have a latent. `place` is on the head axis of queries, keys or values.
HeadColumns headColumns(const ModelSpec& spec, const Weights& weights, std::size_t layer,
                        HeadRead read, std::size_t place);

/// One column of a head's queries: the one of dimension `index`, below d_head.
HeadColumns queryColumn(const ModelSpec& spec, const Weights& weights, std::size_t layer,
                        std::size_t place, std::size_t index);

/// The columns of all heads: queries, then keys, then values [d_model, columns of W_QKV].
Tensor allHeadColumns(const ModelSpec& spec, const Weights& weights, std::size_t layer);

} // namespace headscope
