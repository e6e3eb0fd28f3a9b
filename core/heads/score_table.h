#pragma once

#include "core/base/table.h"
#include "core/heads/head_score.h"

#include <span>

namespace headscope {

/// Head scores as a table: one row per head and type with layer, head, detector (the type), score,
/// chance, low, high, variant, on_sentences, control, above_control, p_value, threshold, labels (of
/// the head, strongest first), input, bos. JSON has no rows, but heads [{"head", "labels", "layer",
/// "scores": {type: the numbers of a row by name}}], measured_on {type: {"bos", "input",
/// "sequences"}}, expected_false, sink_share and thresholds.
Table scoreTable(const HeadScores& scores, const Thresholds& thresholds,
                 const Provenance& provenance);

/// For a terminal of 100 columns: a row for each type of each head, as labelTable() has them, and
/// one without a type for each head that has none; with what was measured in the caption.
Table scoreSummary(const HeadScores& scores, const Thresholds& thresholds,
                   const Provenance& provenance);

/// For wide screens: a row per head, a column per type, and in front the baselines and thresholds.
Table scoreGrid(const HeadScores& scores, const Thresholds& thresholds,
                const Provenance& provenance);

/// A row for each type of each of these heads, strongest first: head, type, score, low and high of
/// its interval, baseline, control, threshold, on_sentences. Heads without a type have none.
Table labelTable(const HeadScores& scores, const Thresholds& thresholds,
                 std::span<const LayerHead> heads);

} // namespace headscope
