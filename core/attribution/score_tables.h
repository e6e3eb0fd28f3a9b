#pragma once

#include "core/attribution/score_parts.h"
#include "core/attribution/score_row.h"
#include "core/attribution/score_signals.h"
#include "core/attribution/score_trace.h"
#include "core/base/table.h"
#include "core/model/model.h"

#include <cstddef>
#include <string>

namespace headscope {

// Scores that were taken apart, as tables. `model` names the tokens.

/// "4.1: 14 ·to reads 2 ·Mary"
std::string cellText(const ScoreQuestion& question, const Provenance& provenance);
/// "the other keys", "4 ·John"; empty for ScoreContrast::Nothing.
std::string contrastText(const ScoreQuestion& question, const Provenance& provenance);
/// The whole answer in words: "Head 4.1 gives 86 % of 14 ·to to 2 ·Mary: its score is …".
std::string scoreSentence(const ScoreParts& parts, const Provenance& provenance);

/// One row per pair of writers, strongest first: query_part, key_part, value, share. Fields: the
/// cell, score, reference, difference, weight, distance, capped; in JSON query_parts and key_parts,
/// each writer's value on one side. The rows are "parts".
Table scoreTable(const ScoreParts& parts, const Model& model, const Provenance& provenance);
/// For the screen: the strongest `count` on one side, and what the rest adds up to.
Table sideTable(const ScoreParts& parts, HeadSide side, std::size_t count,
                const Provenance& provenance);
/// For the screen: the strongest `count` pairs, and what the rest adds up to.
Table pairsTable(const ScoreParts& parts, std::size_t count, const Provenance& provenance);

/// One row per direction, strongest first: rank, singular_value, value, share, query_words,
/// key_words. Fields as of scoreTable(), and carrying_90, how many carry 90 % of the difference.
/// The rows are "signals".
Table signalsTable(const ScoreSignals& found, const Model& model, const Provenance& provenance);

/// One row per dimension of the head: dimension, query, key, value. The rows are "dimensions".
Table dimensionsTable(const ScoreDimensions& dimensions, const Model& model,
                      const Provenance& provenance);

/// One row per key and dimension: key, piece, dimension, query_before, query, key_before,
/// key_value, value. Fields: head, query_position, turned (by rotary positions). The rows are
/// "dimensions".
Table queryDimensionsTable(const QueryDimensions& dimensions, const Model& model,
                           const Provenance& provenance);

/// One row per edge, in the order in which the walk found them: from, from_position, to,
/// to_position, side, value, share. In JSON nodes and rests beside them. The rows are "edges".
Table traceTable(const Trace& trace, const Model& model, const Provenance& provenance);

/// The same as a graph. Nodes: label, node, position, piece, through, followed, key, weight; edges:
/// side, value, share. Fields: root, least_share.
Graph traceGraph(const Trace& trace, const Provenance& provenance);

/// "head 3.5 at 4 ·Mary"; "the logit" for the first node of a trace from one.
std::string nodeText(const TraceNode& node, const Provenance& provenance);

} // namespace headscope
