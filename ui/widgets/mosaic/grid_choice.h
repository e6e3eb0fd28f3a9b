#pragma once

#include <QVector>

#include <functional>

namespace headscope::ui {

/// A place in a grid.
struct GridCell {
    int row = 0;
    int column = 0;

    bool operator==(const GridCell&) const = default;
};

/// Cells of a grid that are chosen together, as in other programs: a click chooses one, Ctrl adds
/// or takes away one, Shift and dragging choose the rectangle from where the choice began. There is
/// always one cell, and one of them is the current one.
class GridChoice {
public:
    const QVector<GridCell>& cells() const { return cells_; } ///< in the order they were chosen
    GridCell current() const { return current_; }
    bool contains(GridCell cell) const { return cells_.contains(cell); }

    void only(GridCell cell);
    void toggle(GridCell cell);
    /// The rectangle to this corner, which becomes the current cell.
    void extendTo(GridCell corner);
    /// Removes the cells for which this holds; the current one must not be among them.
    void leaveOut(const std::function<bool(GridCell)>& is_left_out) {
        cells_.removeIf(is_left_out);
    }
    /// Takes over a choice that was made elsewhere; `current` is one of the cells. If these are the
    /// cells that the user chose as a rectangle, extending it continues from the same corner.
    void set(const QVector<GridCell>& cells, GridCell current);

private:
    QVector<GridCell> cells_{GridCell{}};
    GridCell current_;
    GridCell anchor_;
};

} // namespace headscope::ui
