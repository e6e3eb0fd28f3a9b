#pragma once

namespace headscope::ui {

/// A widget that paints a picture of numbers, with no part that a screen reader could go to: its
/// description says what is shown, or which point is chosen. A second base as PaintedCells is.
class PaintedChart {
public:
    PaintedChart();
    virtual ~PaintedChart() = default;
    PaintedChart(const PaintedChart&) = delete;
    PaintedChart& operator=(const PaintedChart&) = delete;
};

} // namespace headscope::ui
