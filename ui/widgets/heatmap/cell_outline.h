#pragma once

#include "ui/widgets/cell_source.h"

#include <QLineF>
#include <QList>

#include <cstddef>
#include <functional>
#include <vector>

namespace headscope::ui {

/// The columns of the cells of a row that are marked, in any order.
using MarkedColumns = std::function<std::vector<std::size_t>(std::size_t row)>;

/// Cells that are looked at together, so that a line around them has room.
struct CellSquares {
    CellRange rows; ///< of cells, not of squares
    CellRange columns;
    std::size_t row_step = 1; ///< cells of a square
    std::size_t column_step = 1;
};

/// The lines between squares that hold a marked cell and squares that hold none, in cells (x:
/// columns, y: rows), each as long as it goes. What is outside the squares counts as not marked.
/// Asks for the rows of the squares alone.
QList<QLineF> outlineAround(const MarkedColumns& marked, const CellSquares& squares);

} // namespace headscope::ui
