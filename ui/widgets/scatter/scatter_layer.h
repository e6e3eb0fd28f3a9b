#pragma once

#include "ui/widgets/colours.h"
#include "ui/widgets/scatter_plot.h"

#include <qcustomplot.h>

namespace headscope::ui {

/// Thresholds, dots and rings of a ScatterPlot, over the grid and inside the axes.
class ScatterLayer : public QCPLayerable {
    Q_OBJECT

public:
    ScatterLayer(QCustomPlot* plot, const ScatterPlot& scatter)
        : QCPLayerable(plot, QStringLiteral("main")), scatter_(scatter) {}

    /// Where the middle of its dot is, in the plot.
    QPointF pixelOf(const ScatterPoint& point) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    void drawEmpty(QCPPainter& painter) const;
    void drawThresholds(QCPPainter& painter) const;
    void drawDot(QCPPainter& painter, const ScatterPoint& point) const;
    void drawRing(QCPPainter& painter, const ScatterPoint& point, const QColor& colour) const;
    HeatmapTheme theme() const;

    const ScatterPlot& scatter_;
};

} // namespace headscope::ui
