#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

/// One number read from the stream at one position: x · direction + constant, of the stream x as
/// block `depth` reads it.
struct StreamReading {
    std::size_t depth = 0;
    std::size_t position = 0;
    std::vector<double> direction; ///< [d_model]
    double constant = 0.0;         ///< what biases after the stream add
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

/// A writer at a position.
struct TracePlace {
    StreamWriter writer;
    std::size_t position = 0;

    auto operator<=>(const TracePlace&) const = default;
};

struct TraceQuestion {
    std::variant<ScoreQuestion, LogitTarget> root;
    /// Only places are shown through which at least this share of the root goes: the product of the
    /// shares on the way to it.
    double least_share = 0.1;
    std::size_t most_nodes = 20;
    /// Heads that are followed whatever goes through them, and show their own parts from that share
    /// on.
    std::vector<TracePlace> followed;
    /// Other heads are followed from this share on; below least_share none is shown.
    double least_followed = 0.0;
};

/// How what a node writes reaches the node that reads it.
enum class TraceSide {
    Query, ///< as part of the query of the cell that the reader is followed from
    Key,   ///< of its key
    Value, ///< moved by the reader, for the reader's own reader
    Logit, ///< straight to the logit
};

/// "query", "key", "value", "logit"
std::string_view traceSideName(TraceSide side);

struct TraceNode {
    std::optional<TracePlace> place; ///< nothing: the logit, which is the first node then
    double through = 1.0;            ///< which share of the root goes through it, by magnitude
    bool followed = false;           ///< whether what it read was looked at
    /// The key of a head that was followed: in the first node the one asked about, else the one
    /// from which the head moved most.
    std::optional<std::size_t> key;
    double weight = 0.0; ///< of attention on that key
};

struct TraceEdge {
    std::size_t from = 0; ///< the node that wrote
    std::size_t to = 0;   ///< the node that read
    TraceSide side = TraceSide::Query;
    double value = 0.0; ///< in the unit of the score or logit that is read
    double share = 0.0; ///< of all that arrived there on this side; negative: against it
};

/// What arrived at a node on one side and is shown by no edge.
struct TraceRest {
    std::size_t to = 0;
    TraceSide side = TraceSide::Query;
    double share = 0.0;
};

/// A graph that goes from a score or a logit back to where it came from; the first node is what was
/// asked about.
struct Trace {
    TraceQuestion question;
    double root = 0.0; ///< the difference of scores, or the logit
    std::vector<TraceNode> nodes;
    std::vector<TraceEdge> edges;
    std::vector<TraceRest> rests;
};

/// Walks back from a cell: the head's score is taken apart (takeScoreApart()), each side into the
/// writers at its position. A writer that is a head moved something there: that is taken apart by
/// the positions it came from and their writers, and the cell it moved most from is taken apart in
/// its turn, against the other keys of its row; not where there are none. MLPs are not linear and
/// end the walk, as embeddings do. The place with the largest share goes first. A place that is
/// reached in several ways is followed for the first. Fails as takeScoreApart() and
/// attributeLogit() do, and with ErrorCode::Cancelled on a stop request.
Result<Trace> traceBack(const StreamRun& run, const TraceQuestion& question,
                        std::stop_token stop = {});

} // namespace headscope
