#pragma once

#include "ui/widgets/colours.h"
#include "ui/widgets/curve_plot.h"

#include <qcustomplot.h>

namespace headscope::ui {

/// The ranges of the axes that show all of it.
QCPRange acrossRange(const CurvePlotContent& content);
QCPRange upRange(const CurvePlotContent& content);

/// Makes the graphs, axes and legend of a plot anew; its ranges stay.
void drawCurves(QCustomPlot& plot, const CurvePlotContent& content, const HeatmapTheme& theme,
                const QFont& font);

/// Over the lines of a CurvePlot: rings around the points that are chosen and pointed at, a line
/// from the chosen one down to the axis, and what is said while there are no points.
class CurveMarks : public QCPLayerable {
    Q_OBJECT

public:
    CurveMarks(QCustomPlot* plot, const CurvePlot& curves);

    QPointF pixelOf(const CurvePlotPoint& point) const;

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    void drawRing(QCPPainter& painter, CurvePlotPlace place, const QColor& colour) const;

    const CurvePlot& curves_;
};

} // namespace headscope::ui
