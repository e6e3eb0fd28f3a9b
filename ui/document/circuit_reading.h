#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/circuits/composition.h"
#include "core/circuits/copying.h"
#include "core/circuits/folded_weights.h"
#include "core/model/model.h"
#include "ui/tables/number_table.h"

#include <QList>
#include <QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace headscope::ui {

/// What the weights of a model tell by themselves.
struct CircuitReading {
    std::shared_ptr<const FoldedWeights> weights;
    Result<CompositionScores> composition;
    Result<std::vector<HeadCopying>> copying; ///< by layer and head; fails without a vocabulary
};

/// Composition is read at `offset`, which rotary models need; what does not depend on it is taken
/// from `known`, a reading of the same model that may be null.
std::shared_ptr<const CircuitReading>
readCircuits(const std::shared_ptr<const Model>& model, std::optional<Offset> offset,
             const CircuitReading* known, const Progress& progress, const std::stop_token& stop);

/// "Folded: …; queries and keys at offset 1."
QString circuitNote(const CircuitReading& reading);

/// "K-composition"
QString compositionName(CompositionKind kind);

/// Scores minus those of random matrices, [from, to] with heads counted layer by layer.
Tensor scoresAboveRandom(const CompositionScores& scores, CompositionKind kind);

/// "L0 H3 → L3 H5 · K-composition 0.123, 0.087 above the baseline"
QString edgeText(const CompositionScores& scores, CompositionKind kind, LayerHead from,
                 LayerHead to);

/// From, to, score, above baseline.
QList<NumberTable::Column> edgeColumns();
NumberTable::Row edgeRow(const CompositionEdge& edge);

/// Head, eigenvalue score.
QList<NumberTable::Column> copyingColumns();
NumberTable::Row copyingRow(const HeadCopying& copying);

/// Highest score first, those without one last.
std::vector<HeadCopying> strongestCopying(std::vector<HeadCopying> heads);

} // namespace headscope::ui
