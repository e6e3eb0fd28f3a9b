#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/circuits/factors/head_circuits.h"
#include "core/circuits/factors/vocabulary_match.h"

#include <optional>
#include <stop_token>
#include <vector>

namespace headscope {

/// Where a head looks by positions alone.
struct PositionalAttention {
    LayerHead head;
    double previous_mass = 0.0;  ///< mean of A[q, q − 1] over q ≥ 1
    double previous_share = 0.0; ///< of the rows q ≥ 1, where A[q, q − 1] is the largest entry
    /// The offset q − k at which the largest entry of a row is most often (the nearer of two), and
    /// the share of the rows q ≥ 1 where it does.
    Offset best_offset = 0;
    double best_offset_share = 0.0;
};

/// The attention of all heads by positions alone, with A = softmax(mask(scale · W_pos · W_QK ·
/// W_posᵀ)), without the norm's division: positions that are small beside the tokens look flatter
/// than they act. NaN weights give NaN. Fails for models without learned positions, where this is
/// not defined, and with ErrorCode::Cancelled on a stop request.
Result<std::vector<PositionalAttention>> positionalAttention(const FoldedWeights& weights,
                                                             const Progress& progress = {},
                                                             const std::stop_token& stop = {});

/// What a head moves of each token that it attends to.
struct MovedTokens {
    LayerHead head;
    Tensor values; ///< W_E · W_V [d_vocab, d_head_v]
};

/// Fails for models without an embedding.
Result<MovedTokens> movedTokens(const FoldedWeights& weights, LayerHead head);

/// Whether `head` can do induction with what a previous-token head moves: the share of the sampled
/// tokens whose row of W_E · W_Q · (W_E · W_OV · W_K)ᵀ is largest (among the five largest) at the
/// token itself, keys being the whole vocabulary as an attending previous-token head moves it on
/// (K-composition, Elhage et al. 2021). With rotary positions at a chosen offset. Fails unless
/// the previous-token head is in an earlier layer, where qkCircuit() does, and with
/// ErrorCode::Cancelled on a stop request.
Result<MatchAccuracy> kComposedInduction(const FoldedWeights& weights, const MovedTokens& previous,
                                         LayerHead head, const VocabularySample& sample,
                                         std::optional<Offset> offset = std::nullopt,
                                         const std::stop_token& stop = {});

} // namespace headscope
