#pragma once

#include "core/base/result.h"
#include "ui/widgets/heatmap.h"

#include <QFont>
#include <QRectF>

namespace headscope::ui {

/// Everything a figure depends on.
struct HeatmapFigure {
    HeatmapContent content;
    ColourMap map = ColourMap::Viridis;
    std::optional<std::pair<double, double>> range;
    ValueScale scale = ValueScale::Linear;
    QRectF visible_area; ///< cells: x columns, y rows
    QSize size;          ///< pixels of 1/96 inch
    double png_scale = 1.0;
    QString font_family;
};

/// Written whole or not at all; the format is the extension of `path`.
Result<void> saveHeatmapFigure(const QString& path, const HeatmapFigure& figure);

} // namespace headscope::ui
