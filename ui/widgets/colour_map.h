#pragma once

#include <QColor>
#include <QList>
#include <QRgb>
#include <QString>

#include <array>

namespace headscope::ui {

/// Colour maps offered for values in 0..1; Diverging is for differences, white at 0.
enum class ColourMap { Viridis, Cividis, Greys, Diverging };

QList<ColourMap> sequentialColourMaps();
QString colourMapName(ColourMap map);

/// The 256 opaque colours of the map, from fraction 0 to fraction 1, for painting whole images.
const std::array<QRgb, 256>& colourTable(ColourMap map);

/// `fraction` 0..1 along the map; values outside are clamped, NaN gives a neutral grey.
QColor colourAt(ColourMap map, double fraction);

} // namespace headscope::ui
