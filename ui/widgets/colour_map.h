#pragma once

#include "core/base/colour_map.h"

#include <QColor>
#include <QList>
#include <QString>

namespace headscope::ui {

/// The diverging map whose 0 does not stand out from `background`.
ColourMap divergingOn(const QColor& background);

QList<ColourMap> sequentialColourMaps();
QString colourMapName(ColourMap map);

/// `fraction` 0..1 along the map; values outside are clamped, NaN gives a neutral grey.
QColor colourAt(ColourMap map, double fraction);

} // namespace headscope::ui
