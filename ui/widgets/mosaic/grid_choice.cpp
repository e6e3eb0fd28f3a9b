#include "ui/widgets/mosaic/grid_choice.h"

#include <algorithm>

namespace headscope::ui {

void GridChoice::only(GridCell cell) {
    cells_ = {cell};
    current_ = cell;
    anchor_ = cell;
}

void GridChoice::toggle(GridCell cell) {
    if (!contains(cell))
        cells_.append(cell);
    else if (cells_.size() > 1)
        cells_.removeOne(cell);
    current_ = contains(cell) ? cell : cells_.last();
    anchor_ = current_;
}

void GridChoice::extendTo(GridCell corner) {
    const auto [top, bottom] = std::minmax(anchor_.row, corner.row);
    const auto [left, right] = std::minmax(anchor_.column, corner.column);
    const auto isInside = [top = top, bottom = bottom, left = left, right = right](GridCell cell) {
        return top <= cell.row && cell.row <= bottom && left <= cell.column && cell.column <= right;
    };
    // Those that stay keep their place in the order, and with it their colour.
    cells_.removeIf([&](GridCell cell) { return !isInside(cell); });
    for (int row = top; row <= bottom; ++row)
        for (int column = left; column <= right; ++column)
            if (!contains({row, column}))
                cells_.append({row, column});
    current_ = corner;
}

void GridChoice::set(const QVector<GridCell>& cells, GridCell current) {
    if (cells != cells_ || current != current_)
        anchor_ = current;
    cells_ = cells;
    current_ = current;
}

} // namespace headscope::ui
