#include "ui/widgets/curve/curve_marks.h"

#include "ui/widgets/heatmap/heatmap_theme.h"

namespace headscope::ui {
namespace {

constexpr double kCurveRing = 7.0; ///< pixels
constexpr int kEmptyMargin = 5;    ///< of the width: one part on either side

} // namespace

CurveMarks::CurveMarks(QCustomPlot* plot, const CurvePlot& curves)
    : QCPLayerable(plot, QStringLiteral("overlay")), curves_(curves) {}

QPointF CurveMarks::pixelOf(const CurvePlotPoint& point) const {
    return {parentPlot()->xAxis->coordToPixel(point.x), parentPlot()->yAxis->coordToPixel(point.y)};
}

void CurveMarks::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

QRect CurveMarks::clipRect() const {
    return parentPlot()->axisRect()->rect();
}

void CurveMarks::draw(QCPPainter* painter) {
    const HeatmapTheme theme = HeatmapTheme::fromPalette(curves_.palette());
    const CurvePlotContent& content = curves_.content();
    if (content.lines.isEmpty() && content.band.x.isEmpty() && !content.level) {
        painter->setFont(curves_.font());
        painter->setPen(theme.faint);
        const int margin = clipRect().width() / kEmptyMargin;
        painter->drawText(clipRect().adjusted(margin, 0, -margin, 0),
                          Qt::AlignCenter | Qt::TextWordWrap, curves_.emptyText());
        return;
    }
    if (const auto place = curves_.chosenPlace()) {
        const QColor colour = curves_.hasFocus() ? theme.accent : theme.text;
        const QPointF pixel = pixelOf(content.lines[place->line].points[place->point]);
        painter->setPen(QPen(colour, 1.0, Qt::DotLine));
        painter->drawLine(QLineF(pixel, {pixel.x(), double(clipRect().bottom())}));
        drawRing(*painter, *place, colour);
    }
    if (const auto place = curves_.hoveredPlace(); place && place != curves_.chosenPlace())
        drawRing(*painter, *place, theme.faint);
}

void CurveMarks::drawRing(QCPPainter& painter, CurvePlotPlace place, const QColor& colour) const {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 2.0));
    painter.drawEllipse(pixelOf(curves_.content().lines[place.line].points[place.point]),
                        kCurveRing, kCurveRing);
}

} // namespace headscope::ui
