#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/stream_parts.h"
#include "core/attribution/stream_reading.h"
#include "core/base/result.h"

#include <cstddef>
#include <optional>
#include <stop_token>
#include <string_view>
#include <variant>
#include <vector>

namespace headscope {

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
    /// Of a head that was followed, the key that its cell is of: the one asked about in the first
    /// node, else the one from which it moved most.
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
