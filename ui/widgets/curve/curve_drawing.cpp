#include "ui/widgets/curve/curve_drawing.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/plot/dressed_axes.h"

#include <array>
#include <cmath>

namespace headscope::ui {

namespace {

constexpr int kCurveHues = 7;
constexpr double kCurveWidth = 2.0; ///< pixels
constexpr double kCurveMark = 6.0;
constexpr double kCurveMargin = 0.06; ///< of the upward axis
constexpr double kAcrossMargin = 0.02;
constexpr double kBandOpacity = 0.18;
constexpr double kLegendOpacity = 0.85;
constexpr int kLegendPadding = 4;

/// Colour alone does not tell lines apart for everybody.
QCPScatterStyle markOf(int style, const QColor& colour, const QColor& background) {
    static constexpr std::array kShapes{QCPScatterStyle::ssCircle,
                                        QCPScatterStyle::ssSquare,
                                        QCPScatterStyle::ssDiamond,
                                        QCPScatterStyle::ssTriangle,
                                        QCPScatterStyle::ssTriangleInverted,
                                        QCPScatterStyle::ssCross,
                                        QCPScatterStyle::ssPlus};
    const bool open = style >= kCurveHues;
    return {kShapes[static_cast<std::size_t>(style % kCurveHues)], QPen(colour, 1.4),
            QBrush(open ? background : colour), kCurveMark};
}

constexpr QLatin1String kBehind("grid"); // layers of QCustomPlot
constexpr QLatin1String kInFront("main");

QCPGraph* addGraph(QCustomPlot& plot, QLatin1String layer, const QPen& pen, const QString& name) {
    QCPGraph* graph = plot.addGraph();
    graph->setPen(pen);
    graph->setName(name);
    graph->setAdaptiveSampling(false);
    // In the legend the first come first, but measured curves are drawn over those they are
    // compared with.
    graph->setLayer(layer);
    if (name.isEmpty())
        graph->removeFromLegend();
    return graph;
}

void drawBand(QCustomPlot& plot, const CurvePlotBand& band, const HeatmapTheme& theme) {
    if (band.x.isEmpty())
        return;
    QColor fill = theme.faint;
    fill.setAlphaF(static_cast<float>(kBandOpacity));
    QCPGraph* low = addGraph(plot, kBehind, Qt::NoPen, {});
    low->setData(band.x, band.low, true);
    QCPGraph* high = addGraph(plot, kBehind, Qt::NoPen, {});
    high->setData(band.x, band.high, true);
    high->setBrush(fill);
    high->setChannelFillGraph(low);
    QCPGraph* middle = addGraph(plot, kBehind, QPen(theme.faint, 1.5, Qt::DashDotLine), band.name);
    middle->setData(band.x, band.middle, true);
}

void drawLevel(QCustomPlot& plot, double y, double x_most, const QPen& pen, const QString& name) {
    addGraph(plot, kBehind, pen, name)->setData({0.0, x_most}, {y, y}, true);
}

void drawLine(QCustomPlot& plot, const CurvePlotLine& line, const HeatmapTheme& theme) {
    const QColor colour = lineColour(line.style, theme.background);
    const Qt::PenStyle dash = line.style < kCurveHues ? Qt::SolidLine : Qt::DashLine;
    QCPGraph* graph = addGraph(plot, kInFront, QPen(colour, kCurveWidth, dash), line.name);
    QVector<double> x;
    QVector<double> y;
    for (const CurvePlotPoint& point : line.points) {
        x.append(point.x);
        y.append(point.y);
    }
    graph->setData(x, y, true);
    graph->setScatterStyle(markOf(line.style, colour, theme.background));
}

/// Whether the lines end higher than they begin: the legend goes where they are not.
bool rises(const CurvePlotContent& content) {
    double sum = 0.0;
    for (const CurvePlotLine& line : content.lines)
        if (!line.points.isEmpty())
            sum += line.points.last().y - content.level.value_or(line.points.first().y);
    return sum >= 0.0;
}

void drawLegend(QCustomPlot& plot, const CurvePlotContent& content, const HeatmapTheme& theme,
                const QFont& font) {
    QColor behind = theme.background;
    behind.setAlphaF(static_cast<float>(kLegendOpacity));
    plot.legend->setVisible(plot.legend->itemCount() > 0);
    plot.legend->setFont(font);
    plot.legend->setTextColor(theme.text);
    plot.legend->setBrush(behind);
    plot.legend->setBorderPen(Qt::NoPen);
    plot.legend->setRowSpacing(0);
    plot.legend->setMargins(
        QMargins(kLegendPadding, kLegendPadding, kLegendPadding, kLegendPadding));
    plot.axisRect()->insetLayout()->setInsetAlignment(
        0, Qt::AlignLeft | (rises(content) ? Qt::AlignTop : Qt::AlignBottom));
}

void showAxes(QCustomPlot& plot, bool shown) {
    for (QCPAxis* axis : plot.axisRect()->axes()) {
        axis->setVisible(shown && (axis == plot.xAxis || axis == plot.yAxis));
        axis->grid()->setVisible(shown);
    }
}

} // namespace

QCPRange acrossRange(const CurvePlotContent& content) {
    return {-kAcrossMargin * content.x_most, (1.0 + kAcrossMargin) * content.x_most};
}

QCPRange upRange(const CurvePlotContent& content) {
    std::optional<QCPRange> range;
    const auto include = [&range](double y) {
        if (!std::isfinite(y))
            return;
        if (range)
            range->expand(y);
        else
            range = QCPRange(y, y);
    };
    for (const CurvePlotLine& line : content.lines)
        for (const CurvePlotPoint& point : line.points)
            include(point.y);
    for (const auto* edge : {&content.band.low, &content.band.high})
        for (const double y : *edge)
            include(y);
    if (content.level)
        include(*content.level);
    if (content.limit)
        include(*content.limit);
    if (!range)
        return {0.0, 1.0};
    const double margin = range->size() > 0.0 ? kCurveMargin * range->size() : 0.5;
    return {range->lower - margin, range->upper + margin};
}

void drawCurves(QCustomPlot& plot, const CurvePlotContent& content, const HeatmapTheme& theme,
                const QFont& font) {
    plot.clearGraphs();
    dressAxes(plot, theme, font);
    showAxes(plot, !content.lines.isEmpty() || !content.band.x.isEmpty() || content.level);
    plot.xAxis->setLabel(content.x_name);
    plot.yAxis->setLabel(content.y_name);
    for (const CurvePlotLine& line : content.lines)
        drawLine(plot, line, theme);
    drawBand(plot, content.band, theme);
    if (content.level)
        drawLevel(plot, *content.level, content.x_most, QPen(theme.text, 1.2), content.level_name);
    if (content.limit)
        drawLevel(plot, *content.limit, content.x_most, QPen(theme.text, 1.2, Qt::DotLine),
                  content.limit_name);
    drawLegend(plot, content, theme, font);
}

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
