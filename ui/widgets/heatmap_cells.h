#pragma once

#include "core/base/colour_map.h"
#include "core/tensor/tensor.h"

#include <QImage>
#include <QRectF>
#include <QSize>

#include <optional>
#include <utility>

namespace headscope::ui {

/// The fixed range, or without one the range of the values themselves: from 0 to the largest, for
/// the diverging map symmetric around 0. Never empty.
CellColours coloursFor(ColourMap map, const std::optional<std::pair<double, double>>& fixed,
                       MatrixView values);

/// Transparent for NaN.
QRgb cellColour(float value, const CellColours& colours);

/// The cells `visible` (x: columns, y: rows; fractions cut cells) on an image of `pixels`. Where
/// several cells share a pixel the strongest shows, so that a thin diagonal never disappears.
QImage renderCells(MatrixView values, const QRectF& visible, QSize pixels,
                   const CellColours& colours);

} // namespace headscope::ui
