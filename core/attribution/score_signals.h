#pragma once

#include "core/attribution/score_parts.h"
#include "core/base/result.h"
#include "core/base/token_id.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// One term of the singular value decomposition of a head's QK form: what the query holds along one
/// direction of the residual stream, times what the key holds along another.
struct ScoreSignal {
    double singular_value = 0.0;
    double part = 0.0; ///< of the difference asked about
    std::vector<TokenId>
        query_words;                ///< tokens whose embeddings reach furthest along what it reads
    std::vector<TokenId> key_words; ///< of the query, and of the key; furthest first
    /// [d_model], of length 1: the direction of the residual stream before the norm that the head
    /// reads. Given for the first `worded` signals.
    std::vector<float> query_direction;
    std::vector<float> key_direction;
};

struct ScoreSignals {
    ScoreQuestion question;
    double difference = 0.0;             ///< 0 where it is rounding
    std::vector<ScoreSignal> directions; ///< those with the largest parts first; d_head at most
    double distance = 0.0;               ///< DistanceBias, such as ALiBi's
    /// The part along no direction: rounding, and biases of norms that centre queries and keys.
    double rest = 0.0;

    /// How many of the first signals it takes until what they add up to stays within (1 − share) of
    /// the sum of all.
    std::size_t carrying(double share) const;
};

/// A score, or a difference of scores, along the singular directions of W_Q · R · W_Kᵀ (Franco and
/// Crovella 2024, arXiv 2410.00340), where R turns by the distance between query and key in
/// networks with rotary positions, and gains of norms are folded into W_Q and W_K. Its rank is
/// d_head at most, so it is taken from two thin decompositions [d_model, d_head] and one [d_head,
/// d_head]. What biases add is along the same directions. Words are read through the embedding,
/// `words` for each side of the first `worded` signals, along the direction as the query and the
/// key asked about point; none where the file has no embedding. Fails as takeScoreApart() does, and
/// for weights with NaN.
Result<ScoreSignals> scoreSignals(const StreamRun& run, const ScoreQuestion& question,
                                  std::size_t worded = 0, std::size_t words = 3);

} // namespace headscope
