#pragma once

#include "ui/widgets/matrix_cells.h"

#include <memory>

namespace headscope::ui {

/// Cells that are computed a whole row at a time from those of other sources.
class RowwiseCells : public CellSource {
public:
    Tensor pooled(const TileRequest& request) const final;

protected:
    /// [row, column] of these rows, all columns.
    virtual Tensor wholeRows(const CellRange& rows) const = 0;
};

/// The cells themselves of these rows, all columns.
Tensor exactRows(const CellSource& cells, const CellRange& rows);

} // namespace headscope::ui
