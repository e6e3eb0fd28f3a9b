#include "ui/widgets/heatmap.h"
#include "ui/widgets/heatmap/heatmap_plot.h"

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

} // namespace headscope::ui
