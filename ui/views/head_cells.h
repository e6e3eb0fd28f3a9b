#pragma once

#include "ui/models/document.h"
#include "ui/widgets/head_mosaic.h"

#include <QSet>
#include <QVector>

namespace headscope::ui {

/// The cells of the head grid, row-major: letters and colour of the
/// types in `shown`, or of all types when it is empty.
QVector<MosaicCell> headCells(const Document& document, const QSet<DetectorId>& shown);

/// The head that a cell of the grid stands for: rows are layers.
LayerHead headAt(int row, int column);

} // namespace headscope::ui
