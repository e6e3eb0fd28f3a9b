#pragma once

#include "ui/widgets/colours.h"

#include <qcustomplot.h>

namespace headscope::ui {

/// Background, axes and grid of a plot in these colours.
void dressAxes(QCustomPlot& plot, const HeatmapTheme& theme, const QFont& font);

} // namespace headscope::ui
