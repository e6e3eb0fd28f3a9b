#pragma once

#include <QColor>
#include <QList>
#include <QString>

namespace headscope::ui {

/// Colour maps offered for values in 0..1; Diverging is for differences, white at 0.
enum class ColourMap { Viridis, Cividis, Greys, Diverging };

QList<ColourMap> sequentialColourMaps();
QString colourMapName(ColourMap map);

/// `fraction` 0..1 along the map; values outside are clamped, NaN gives a neutral grey.
QColor colourAt(ColourMap map, double fraction);

} // namespace headscope::ui
