#pragma once

#include "core/base/table.h"
#include "core/circuits/composition.h"
#include "core/circuits/copying.h"
#include "core/circuits/ov_directions.h"

#include <span>
#include <string>
#include <vector>

namespace headscope {

// Circuits as tables. The note of the provenance says how norms were folded; in CSV it is the field
// folding.

/// One row per edge: kind (Q, K or V), from, to, score, above_baseline. Fields: baseline, offset.
/// The rows are "edges".
Table compositionTable(const CompositionScores& scores, std::span<const CompositionEdge> edges,
                       const Provenance& provenance);

/// One row per head: head, its score (in CSV copying_score), top1, top5; in JSON eigenvalues
/// [[real, imaginary]]. Fields: in CSV sampled_rows and seed, in JSON sample. The rows are "heads".
Table copyingTable(const MeasuredCopying& copying, const Provenance& provenance);

/// The OV directions of one head. `model` names their tokens.
struct HeadDirections {
    const Model& model;
    LayerHead head;
    std::vector<OvDirection> directions;
    std::string vocabulary_gap = {}; ///< FoldedWeights::vocabularyGap()
};

/// One row per token: head, direction (from 0), singular_value, side (reads or writes), token,
/// piece, value. JSON has no rows, but layer, head, and directions [{"reads": [{"piece", "token",
/// "value"}], "singular_value", "writes"}].
Table directionTable(const HeadDirections& of, const Provenance& provenance);
/// For the screen: a row per direction.
Table directionGrid(const HeadDirections& of, const Provenance& provenance);

} // namespace headscope
