#pragma once

#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/circuits/folded_weights.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// How far a token reaches along a direction.
struct TokenAlong {
    TokenId token = 0;
    double value = 0.0;
};

/// One term σ · u · vᵀ of the singular value decomposition of W_OV, read through the vocabulary
/// (Millidge & Black 2022).
struct OvDirection {
    double singular_value = 0.0; ///< σ
    /// The tokens with the largest W_E · u, largest first; none where there is no W_E.
    std::vector<TokenAlong> reads;
    /// The tokens with the largest W_U · v, largest first; none where there is no W_U.
    std::vector<TokenAlong> writes;
};

/// How many tokens tables show on each side of a direction.
inline constexpr std::size_t kTokensPerDirection = 8;

/// The `directions` largest (at most d_head) with `tokens` tokens each. The decomposition does not
/// choose between u and −u; u is the one along which the token points that is read most, or without
/// W_E the token that is written most. Fails for weights with NaN.
Result<std::vector<OvDirection>> ovDirections(const FoldedWeights& weights, LayerHead head,
                                              std::size_t directions, std::size_t tokens);

} // namespace headscope
