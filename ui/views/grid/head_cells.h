#pragma once

#include "ui/document/document.h"
#include "ui/views/grid/head_order.h"
#include "ui/widgets/head_mosaic.h"

#include <QVector>

#include <optional>

namespace headscope::ui {

/// What the cells of a grid of heads show.
struct CellChoice {
    std::optional<HeadTypeId> score; ///< its values, on one scale from 0 to 1; none: types
    HeadOrder order;
};

/// The cells of the head grid, row-major: letters and colour of the types that are shown, or the
/// values of a score.
QVector<MosaicCell> headCells(const Document& document, const CellChoice& choice);

} // namespace headscope::ui
