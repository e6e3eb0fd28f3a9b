#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope {

/// One number read from the stream at one position: x · direction + constant, of the stream x as
/// block `depth` reads it.
struct StreamReading {
    std::size_t depth = 0;
    std::size_t position = 0;
    std::vector<double> direction; ///< [d_model]
    double constant = 0.0;         ///< what biases behind the stream add
};

/// What each of streamWriters(depth) adds to a reading; the constant counts to the biases.
std::vector<double> writersOf(const StreamRun& run, const StreamReading& reading);

/// A logit, or how far it is above another, where a trace can begin as well.
struct LogitTarget {
    std::size_t position = 0;
    TokenId token = 0;
    std::optional<TokenId> against;

    bool operator==(const LogitTarget&) const = default;
};

/// The logit as a reading of the last stream, the final norm held at its scale; before the soft-cap
/// of networks that have one. Fails for positions and tokens that are not there and for networks
/// whose logits are no linear readout.
Result<StreamReading> logitReading(const StreamRun& run, const LogitTarget& target);

/// Queries, keys or values of a head at a position, along one direction [d_head or d_head_v]; what
/// biases add is left to headInputParts().
StreamReading headReading(const StreamRun& run, LayerHead head, HeadSide side, std::size_t position,
                          const std::vector<double>& direction);

/// What a head moved to a position, as some reading of the stream there sees it.
struct HeadMoves {
    std::vector<StreamWriter> writers; ///< whose parts the values are made of
    PositionRange keys;                ///< that the position sees
    DoubleMatrix values;               ///< [writer, key of the range]
    std::vector<double> direction;     ///< [d_head_v], how z is read

    double of(std::size_t key) const; ///< all writers at one key
    double sum() const;
};

/// z[p] = Σ_k A[p, k] v_k, and v_k is linear in the stream at k, whose writers are told apart.
HeadMoves movesOf(const StreamRun& run, LayerHead head, const StreamReading& reading);

} // namespace headscope
