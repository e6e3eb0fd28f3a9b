#pragma once

#include "ui/widgets/heatmap/heatmap_plot.h"

namespace headscope::ui {

/// The grey bars of the rows, which stand for a hidden first column: in its place where its cells
/// have room, and else in the margin before it.
class BarLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit BarLayer(HeatmapPlot* plot)
        : QCPLayerable(plot, QStringLiteral("main")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    HeatmapPlot* plot_;
};

} // namespace headscope::ui
