#include "ui/widgets/head_mosaic.h"

#include <QStringList>
#include <QTextDocumentFragment>

namespace headscope::ui {

QString HeadMosaic::rowName(int row) const {
    return QStringLiteral("%1 %2").arg(row_name_).arg(row);
}

QString HeadMosaic::columnName(int column) const {
    return column_numbers_ ? QStringLiteral("%1 %2").arg(column_name_).arg(column) : column_name_;
}

QString HeadMosaic::cellName(GridCell at) const {
    const MosaicCell& shown = cell(at.row, at.column);
    QStringList parts{nameOf(at)};
    if (!shown.spoken.isEmpty())
        parts << shown.spoken;
    if (shown.ablated)
        parts << tr("ablated");
    if (shown.has_effect)
        parts << (*shown.has_effect ? tr("ablating it has an effect")
                                    : tr("ablating it has no more effect than ablating others"));
    if (shown.removed)
        parts << tr("removed");
    return parts.join(QStringLiteral(", "));
}

QString HeadMosaic::cellDetails(GridCell at) const {
    return QTextDocumentFragment::fromHtml(cell(at.row, at.column).tooltip).toPlainText();
}

std::optional<GridCell> HeadMosaic::cellUnder(QPoint position) const {
    const auto at = cellAt(position);
    return at ? std::optional(GridCell{at->y(), at->x()}) : std::nullopt;
}

std::optional<GridCell> HeadMosaic::currentCell() const {
    return cells_.isEmpty() ? std::nullopt : std::optional(choice_.current());
}

QVector<GridCell> HeadMosaic::markedCells() const {
    return cells_.isEmpty() ? QVector<GridCell>() : choice_.cells();
}

} // namespace headscope::ui
