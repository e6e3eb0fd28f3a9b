#pragma once

#include "ui/widgets/curve_plot.h"
#include "ui/widgets/heatmap/heatmap_theme.h"

#include <qcustomplot.h>

namespace headscope::ui {

/// The ranges of the axes that show all of it.
QCPRange acrossRange(const CurvePlotContent& content);
QCPRange upRange(const CurvePlotContent& content);

/// Makes the graphs, axes and legend of a plot anew; its ranges stay.
void drawCurves(QCustomPlot& plot, const CurvePlotContent& content, const HeatmapTheme& theme,
                const QFont& font);

} // namespace headscope::ui
