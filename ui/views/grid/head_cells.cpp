#include "ui/views/grid/head_cells.h"

#include "core/heads/head_type.h"
#include "ui/tables/head_text.h"
#include "ui/views/grid/type_badge.h"
#include "ui/widgets/colour_map.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

struct CellText {
    Q_DECLARE_TR_FUNCTIONS(CellText)
};

/// "induction 0.59, sink 0.50"
QString spokenScores(const HeadScores& scores, LayerHead head,
                     const std::vector<HeadTypeId>& types) {
    QStringList spoken;
    for (const HeadTypeId id : types) {
        const double score = scores.at(id, head).score;
        spoken << QStringLiteral("%1 %2").arg(
            typeName(id), std::isnan(score) ? CellText::tr("not defined") : scoreText(score));
    }
    return spoken.join(QStringLiteral(", "));
}

void addTypes(MosaicCell& cell, const HeadScores& scores, LayerHead head,
              const std::vector<HeadTypeId>& types) {
    for (const HeadTypeId id : types) {
        if (cell.letters.isEmpty()) {
            cell.colour = typeColourOf(id);
            cell.strength = std::clamp(scores.at(id, head).aboveBaseline(), 0.0, 1.0);
        }
        cell.letters += QLatin1Char(headType(id).letter);
    }
}

void addValue(MosaicCell& cell, double score, bool labelled) {
    cell.value = shortScoreText(score);
    cell.bold = labelled;
    if (std::isnan(score))
        return;
    cell.colour = colourAt(ColourMap::Viridis, score);
    cell.strength = 1.0;
}

void addScores(MosaicCell& cell, const HeadScores& scores, LayerHead head, const Document& document,
               const CellChoice& choice) {
    const QSet<HeadTypeId>& shown = document.selection().shownTypes();
    std::vector<HeadTypeId> types = labels(scores, head, document.thresholds());
    const bool labelled = choice.score && std::ranges::find(types, *choice.score) != types.end();
    if (!shown.isEmpty())
        std::erase_if(types, [&](HeadTypeId id) { return !shown.contains(id); });
    cell.faded = !shown.isEmpty() && types.empty();
    if (!choice.score) {
        addTypes(cell, scores, head, types);
    } else if (!cell.faded) {
        addValue(cell, scores.at(*choice.score, head).score, labelled);
        types = {*choice.score};
    }
    cell.spoken = spokenScores(scores, head, types);
}

MosaicCell cellOf(const Document& document, LayerHead head, const CellChoice& choice) {
    const auto scores = document.headScorer().scores();
    MosaicCell cell;
    if (scores)
        addScores(cell, *scores, head, document, choice);
    if (!choice.order.isByNumber())
        cell.name = QStringLiteral("H%1").arg(head.head);
    cell.tooltip = headTooltip(document.model()->spec, scores.get(), head, document.thresholds(),
                               document.ablation().mask());
    cell.ablated = document.ablation().mask().isAblated(head);
    if (const AblationEffect* effect = document.effectTester().effect(head))
        cell.has_effect = effect->hasEffect();
    return cell;
}

MosaicCell cellAt(const Document& document, std::optional<LayerHead> head,
                  const CellChoice& choice) {
    if (head && document.model()->spec.hasHead(*head))
        return cellOf(document, *head, choice);
    MosaicCell gap;
    gap.removed = true;
    if (head && choice.order.isByNumber())
        gap.tooltip = removedHeadTooltip(*head);
    return gap;
}

} // namespace

QVector<MosaicCell> headCells(const Document& document, const CellChoice& choice) {
    QVector<MosaicCell> cells;
    const auto model = document.model();
    if (!model)
        return cells;
    const auto n_layers = static_cast<int>(model->spec.n_layers);
    const auto n_heads = static_cast<int>(model->spec.n_heads);
    cells.reserve(qsizetype{n_layers} * n_heads);
    for (int row = 0; row < n_layers; ++row)
        for (int column = 0; column < n_heads; ++column)
            cells.append(cellAt(document, choice.order.headAt(row, column), choice));
    return cells;
}

} // namespace headscope::ui
