#pragma once

#include "core/tensor/tensor.h"
#include "ui/widgets/colour_map.h"

#include <QImage>
#include <QRectF>
#include <QSize>

#include <optional>
#include <utility>
#include <vector>

namespace headscope::ui {

/// How far along a map a value lies.
enum class ValueScale {
    Linear,
    SquareRoot,  ///< of its share of the range
    Logarithmic, ///< the last four powers of ten of the range
};

/// How values become colours: `low` is fraction 0 of the map, `high` fraction 1. The diverging map
/// is scaled from its middle to both sides.
struct CellColours {
    ColourMap map = ColourMap::Viridis;
    double low = 0.0;
    double high = 1.0;
    ValueScale scale = ValueScale::Linear;
};

/// Place of a value along the map, 0..1 within the range.
double fractionOf(double value, const CellColours& colours);

/// Values to write beside the colour scale, ascending, where it is not linear.
std::vector<double> scaleMarks(const CellColours& colours);

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
