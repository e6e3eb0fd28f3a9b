#include "ui/widgets/colour_map.h"

#include <QCoreApplication>

#include <cmath>

namespace headscope::ui {

ColourMap divergingOn(const QColor& background) {
    return background.lightnessF() < 0.5f ? ColourMap::DivergingDark : ColourMap::Diverging;
}

QList<ColourMap> sequentialColourMaps() {
    return {ColourMap::Viridis, ColourMap::Cividis, ColourMap::Greys};
}

QString colourMapName(ColourMap map) {
    switch (map) {
    case ColourMap::Viridis:
        return QCoreApplication::translate("ColourMap", "Viridis");
    case ColourMap::Cividis:
        return QCoreApplication::translate("ColourMap", "Cividis");
    case ColourMap::Greys:
        return QCoreApplication::translate("ColourMap", "Greys");
    case ColourMap::Diverging:
    case ColourMap::DivergingDark:
        return QCoreApplication::translate("ColourMap", "Red and blue");
    }
    return {};
}

QColor colourAt(ColourMap map, double fraction) {
    if (std::isnan(fraction))
        return QColor(128, 128, 128);
    return QColor::fromRgb(rgbAt(map, fraction));
}

} // namespace headscope::ui
