#include "ui/widgets/scatter/scatter_layer.h"

#include "ui/widgets/colours.h"

namespace headscope::ui {
namespace {

constexpr double kLetteredRadius = 7.0; ///< pixels
constexpr double kQuietRadius = 3.5;
constexpr double kRingGap = 2.5;
constexpr int kLetterPixels = 10;
constexpr double kQuiet = 0.45; ///< share of the text's colour in dots without one of their own

double dotRadius(const ScatterPoint& point) {
    return point.letter.isEmpty() ? kQuietRadius : kLetteredRadius;
}

} // namespace

QPointF ScatterLayer::pixelOf(const ScatterPoint& point) const {
    return {parentPlot()->xAxis->coordToPixel(point.x), parentPlot()->yAxis->coordToPixel(point.y)};
}

void ScatterLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

QRect ScatterLayer::clipRect() const {
    return parentPlot()->axisRect()->rect();
}

HeatmapTheme ScatterLayer::theme() const {
    return HeatmapTheme::fromPalette(scatter_.palette());
}

void ScatterLayer::draw(QCPPainter* painter) {
    const auto& points = scatter_.content().points;
    if (points.isEmpty())
        return drawEmpty(*painter);
    drawThresholds(*painter);
    // Lettered dots are drawn over the many that have no type.
    for (const bool lettered : {false, true})
        for (const ScatterPoint& point : points)
            if (point.isDefined() && point.letter.isEmpty() != lettered)
                drawDot(*painter, point);
    if (scatter_.hovered() >= 0)
        drawRing(*painter, points[scatter_.hovered()], theme().faint);
    if (scatter_.selected() < 0)
        return;
    const ScatterPoint& selected = points[scatter_.selected()];
    drawDot(*painter, selected);
    drawRing(*painter, selected, scatter_.hasFocus() ? theme().accent : theme().text);
}

void ScatterLayer::drawEmpty(QCPPainter& painter) const {
    painter.setFont(scatter_.font());
    painter.setPen(theme().faint);
    painter.drawText(clipRect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap,
                     scatter_.emptyText());
}

void ScatterLayer::drawThresholds(QCPPainter& painter) const {
    const QRectF area = clipRect();
    const double x = parentPlot()->xAxis->coordToPixel(scatter_.content().x_threshold);
    const double y = parentPlot()->yAxis->coordToPixel(scatter_.content().y_threshold);
    painter.setPen(QPen(theme().faint, 1.0, Qt::DashLine));
    painter.drawLine(QLineF(x, area.top(), x, area.bottom()));
    painter.drawLine(QLineF(area.left(), y, area.right(), y));
}

void ScatterLayer::drawDot(QCPPainter& painter, const ScatterPoint& point) const {
    const QColor background = theme().background;
    const QColor fill =
        point.colour.isValid() ? point.colour : blend(background, theme().text, kQuiet);
    const QPointF place = pixelOf(point);
    const double radius = dotRadius(point);
    // A line of background keeps dots apart that overlap.
    painter.setPen(QPen(background, 1.0));
    painter.setBrush(fill);
    painter.drawEllipse(place, radius, radius);
    if (point.letter.isEmpty())
        return;
    QFont font = scatter_.font();
    font.setBold(true);
    font.setPixelSize(kLetterPixels);
    painter.setFont(font);
    painter.setPen(readableOn(fill));
    painter.drawText(QRectF(place.x() - radius, place.y() - radius, 2.0 * radius, 2.0 * radius),
                     Qt::AlignCenter, point.letter);
}

void ScatterLayer::drawRing(QCPPainter& painter, const ScatterPoint& point,
                            const QColor& colour) const {
    const double radius = dotRadius(point) + kRingGap;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 2.0));
    painter.drawEllipse(pixelOf(point), radius, radius);
}

} // namespace headscope::ui
