#pragma once

namespace headscope::ui {

/// From now on QAccessible knows the widgets that are PaintedCells, PaintedValue or PaintedChart.
void installPaintedFactory();

} // namespace headscope::ui
