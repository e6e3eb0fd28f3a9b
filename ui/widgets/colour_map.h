#pragma once

#include <QColor>
#include <QList>
#include <QRgb>
#include <QString>

#include <array>

namespace headscope::ui {

/// Colour maps offered for values in 0..1. The diverging ones are for differences, blue below 0 and
/// red above: one is white at 0, the other dark, for dark backgrounds.
enum class ColourMap { Viridis, Cividis, Greys, Diverging, DivergingDark };

bool isDiverging(ColourMap map);
/// The diverging map whose 0 does not stand out from `background`.
ColourMap divergingOn(const QColor& background);

QList<ColourMap> sequentialColourMaps();
QString colourMapName(ColourMap map);

/// The 256 opaque colours of the map, from fraction 0 to fraction 1, for painting whole images.
const std::array<QRgb, 256>& colourTable(ColourMap map);

/// `fraction` 0..1 along the map; values outside are clamped, NaN gives a neutral grey.
QColor colourAt(ColourMap map, double fraction);

} // namespace headscope::ui
