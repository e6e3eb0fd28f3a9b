#include "ui/widgets/head_mosaic.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/heatmap/heatmap_plot.h"
#include "ui/widgets/token_strip.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::ui {

namespace {

/// As many as an index has room for.
int countOf(std::size_t cells) {
    constexpr std::size_t kMost = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(kMost, cells));
}

QString labelled(const QString& axis, const QStringList& labels, int place) {
    return QStringLiteral("%1 %2").arg(axis, labels.value(place)).trimmed();
}

} // namespace

int Heatmap::cellRows() const {
    return countOf(plot().rows());
}

int Heatmap::cellColumns() const {
    return countOf(plot().columns());
}

QString Heatmap::rowName(int row) const {
    return labelled(content().row_axis, content().row_labels, row);
}

QString Heatmap::columnName(int column) const {
    return labelled(content().column_axis, content().column_labels, column);
}

QString Heatmap::cellName(GridCell at) const {
    const auto row = static_cast<std::size_t>(at.row);
    const auto column = static_cast<std::size_t>(at.column);
    const auto known = plot().known().value(row, column);
    const float value =
        known ? *known : content().cells->exact({row, row + 1}, {column, column + 1})(0, 0);
    return QStringLiteral("%1, %2, %3")
        .arg(rowName(at.row), columnName(at.column),
             std::isnan(value)
                 ? tr("not visible")
                 : QStringLiteral("%1 %2").arg(content().value_name).arg(value, 0, 'g', 3));
}

QRect Heatmap::cellArea(GridCell at) const {
    const QRectF cell =
        plot().cellRect(static_cast<std::size_t>(at.row), static_cast<std::size_t>(at.column));
    const QRectF in_sight = cell.intersected(plot().layout().map);
    return in_sight.toAlignedRect().translated(plot().mapTo(this, QPoint()));
}

std::optional<GridCell> Heatmap::cellUnder(QPoint position) const {
    const auto cell = plot().cellAt(plot().mapFrom(this, position));
    return cell ? std::optional(GridCell{countOf(cell->row), countOf(cell->column)}) : std::nullopt;
}

std::optional<GridCell> Heatmap::currentCell() const {
    return lockedRow() ? std::optional(GridCell{countOf(*lockedRow()), 0}) : std::nullopt;
}

QVector<GridCell> Heatmap::markedCells() const {
    QVector<GridCell> row;
    for (int column = 0; lockedRow() && column < cellColumns(); ++column)
        row << GridCell{countOf(*lockedRow()), column};
    return row;
}

bool Heatmap::isMarked(GridCell at) const {
    return lockedRow() == static_cast<std::size_t>(at.row);
}

void Heatmap::chooseCell(GridCell at) {
    lockRow(static_cast<std::size_t>(at.row));
    emit cellClicked(static_cast<std::size_t>(at.row), static_cast<std::size_t>(at.column));
}

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
    if (!shown.effect_words.isEmpty())
        parts << tr("effect of ablating it: %1").arg(shown.effect_words);
    if (shown.removed)
        parts << tr("removed");
    return parts.join(QStringLiteral(", "));
}

QString HeadMosaic::cellDetails(GridCell at) const {
    return cell(at.row, at.column).tooltip.plainText();
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

QString TokenStrip::rowName(int row) const {
    return tr("token %1").arg(row);
}

QString TokenStrip::cellName(GridCell at) const {
    const TokenChip& chip = chips_[at.row];
    QString name = tr("%1, position %2").arg(chip.text).arg(at.row);
    if (chip.differs)
        name += tr(", differs");
    return name;
}

QString TokenStrip::cellDetails(GridCell at) const {
    return chips_[at.row].tooltip;
}

std::optional<GridCell> TokenStrip::cellUnder(QPoint position) const {
    const auto chip = chipAt(position);
    return chip ? std::optional(GridCell{static_cast<int>(*chip), 0}) : std::nullopt;
}

std::optional<GridCell> TokenStrip::currentCell() const {
    return current_ ? std::optional(GridCell{static_cast<int>(*current_), 0}) : std::nullopt;
}

QVector<GridCell> TokenStrip::markedCells() const {
    return current_ ? QVector<GridCell>{{static_cast<int>(*current_), 0}} : QVector<GridCell>();
}

void TokenStrip::chooseCell(GridCell at) {
    setCurrent(at.row);
    emit chipClicked(at.row);
}

} // namespace headscope::ui
