#pragma once

#include "ui/widgets/cell_source.h"

#include <memory>

namespace headscope::ui {

/// Cells that are computed from those of other sources, some whole rows at a time where many of
/// them share a value.
class RowwiseCells : public CellSource {
public:
    Tensor pooled(const TileRequest& request) const final;

protected:
    /// What exact() is to give, [row, column].
    virtual Tensor computed(const CellRange& rows, const CellRange& columns) const = 0;
};

} // namespace headscope::ui
