#include "ui/views/head_cells.h"

#include "core/analysis/detectors/detector.h"
#include "ui/models/head_text.h"
#include "ui/views/type_badge.h"

#include <algorithm>

namespace headscope::ui {
namespace {

void addTypes(MosaicCell& cell, const HeadScores& scores, LayerHead head,
              const Thresholds& thresholds, const QSet<DetectorId>& shown) {
    for (const DetectorId id : labels(scores, head, thresholds)) {
        if (!shown.isEmpty() && !shown.contains(id))
            continue;
        if (cell.letters.isEmpty()) {
            cell.colour = typeColourOf(id);
            cell.strength = std::clamp(scores.at(id, head).aboveChance(), 0.0, 1.0);
        }
        cell.letters += QLatin1Char(detector(id).letter);
    }
}

} // namespace

QVector<MosaicCell> headCells(const Document& document, const QSet<DetectorId>& shown) {
    QVector<MosaicCell> cells;
    const auto model = document.model();
    if (!model)
        return cells;
    const auto scores = document.scores();
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer) {
        for (std::size_t h = 0; h < model->spec.n_heads; ++h) {
            const LayerHead head{layer, h};
            MosaicCell cell;
            if (scores)
                addTypes(cell, *scores, head, document.thresholds(), shown);
            cell.tooltip = headTooltip(model->spec, scores.get(), head, document.thresholds(),
                                       document.mask());
            cell.off = document.mask().isOff(head);
            if (const CauseResult* cause = document.cause(head))
                cell.matters = cause->matters();
            cells.append(cell);
        }
    }
    return cells;
}

LayerHead headAt(int row, int column) {
    return {static_cast<std::size_t>(row), static_cast<std::size_t>(column)};
}

} // namespace headscope::ui
