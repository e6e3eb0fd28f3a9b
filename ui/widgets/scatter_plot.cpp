#include "ui/widgets/scatter_plot.h"

#include "ui/markup/markup.h"
#include "ui/widgets/plot/dressed_axes.h"
#include "ui/widgets/scatter/scatter_layer.h"

#include <QApplication>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kDotReach = 10.0;   ///< pixels from a dot at which the pointer still means it
constexpr double kAxisMargin = 0.03; ///< of an axis, so that dots at its ends are whole
constexpr QSize kSmallestScatter{200, 160};

/// 0..1 and the values beyond, with a margin.
std::pair<double, double> axisRange(const QVector<ScatterPoint>& points,
                                    double ScatterPoint::*along) {
    QCPRange range(0.0, 1.0);
    for (const ScatterPoint& point : points)
        if (std::isfinite(point.*along))
            range.expand(point.*along);
    const double margin = kAxisMargin * range.size();
    return {range.lower - margin, range.upper + margin};
}

} // namespace

ScatterPlot::ScatterPlot(QWidget* parent) : PointPlot(kSmallestScatter, parent) {
    plot().setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    plot().axisRect()->setupFullAxesBox();
    for (QCPAxis* axis : {plot().xAxis2, plot().yAxis2})
        axis->setTicks(false);
    // The plot owns what is added to its layers.
    dots_ = new ScatterLayer(&plot(), *this);
    setAccessibleName(tr("Scatter plot"));
    applyTheme();
    showAll();
}

PointPlot::Range ScatterPlot::allAcross() const {
    return axisRange(content_.points, &ScatterPoint::x);
}

PointPlot::Range ScatterPlot::allUp() const {
    return axisRange(content_.points, &ScatterPoint::y);
}

std::optional<QPointF> ScatterPlot::chosenPoint() const {
    if (selected_ < 0)
        return std::nullopt;
    return QPointF(content_.points[selected_].x, content_.points[selected_].y);
}

void ScatterPlot::applyTheme() {
    dressAxes(plot(), HeatmapTheme::fromPalette(palette()), font());
    replot();
}

void ScatterPlot::setContent(ScatterContent content) {
    const bool new_axes = content.x_name != content_.x_name || content.y_name != content_.y_name;
    content_ = std::move(content);
    plot().xAxis->setLabel(content_.x_name);
    plot().yAxis->setLabel(content_.y_name);
    if (new_axes)
        showAll();
    hovered_ = -1;
    setSelected(selected_);
}

void ScatterPlot::setSelected(int point) {
    const bool drawn =
        point >= 0 && point < content_.points.size() && content_.points[point].isDefined();
    selected_ = drawn ? point : -1;
    describe();
    replot();
}

QPoint ScatterPlot::placeOf(int point) const {
    return plot().mapTo(this, dots_->pixelOf(content_.points[point]).toPoint());
}

int ScatterPlot::pointAt(QPointF position) const {
    int nearest = -1;
    double least = kDotReach;
    for (int point = 0; point < content_.points.size(); ++point) {
        if (!content_.points[point].isDefined())
            continue;
        const QPointF away = dots_->pixelOf(content_.points[point]) - position;
        const double distance = std::hypot(away.x(), away.y());
        if (distance >= least)
            continue;
        nearest = point;
        least = distance;
    }
    return nearest;
}

void ScatterPlot::hover(std::optional<QPointF> position) {
    const int point = position ? pointAt(*position) : -1;
    if (point == hovered_)
        return;
    hovered_ = point;
    replot();
    if (point >= 0)
        QToolTip::showText(plot().mapToGlobal(position->toPoint()),
                           asTip(content_.points[point].text), &plot());
    else
        QToolTip::hideText();
}

void ScatterPlot::choose(int point) {
    if (point < 0 || point == selected_)
        return;
    setSelected(point);
    emit chosen(point);
}

void ScatterPlot::chooseNeighbour(double ScatterPoint::*along, bool forwards) {
    const auto across = along == &ScatterPoint::x ? &ScatterPoint::y : &ScatterPoint::x;
    const auto place = [&](int point) {
        const ScatterPoint& at = content_.points[point];
        return std::tuple(at.*along, at.*across, point);
    };
    int next = -1;
    for (int point = 0; point < content_.points.size(); ++point) {
        if (!content_.points[point].isDefined())
            continue;
        const bool ahead = selected_ < 0 || (forwards ? place(point) > place(selected_)
                                                      : place(point) < place(selected_));
        const bool nearer = next < 0 || (place(point) < place(next)) == forwards;
        if (ahead && nearer)
            next = point;
    }
    choose(next);
}

void ScatterPlot::describe() {
    setAccessibleDescription(selected_ < 0 ? emptyText() : content_.points[selected_].text);
}

bool ScatterPlot::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseMove:
        hover(static_cast<QMouseEvent*>(event)->position());
        break;
    case QEvent::Leave:
        hover(std::nullopt);
        break;
    case QEvent::MouseButtonPress:
        if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            pressed_ = static_cast<QMouseEvent*>(event)->position();
        break;
    case QEvent::MouseButtonRelease:
        finishClick(static_cast<QMouseEvent*>(event)->position());
        break;
    case QEvent::MouseButtonDblClick:
        showAll();
        break;
    default:
        break;
    }
    return PointPlot::eventFilter(watched, event);
}

void ScatterPlot::finishClick(QPointF position) {
    const auto pressed = std::exchange(pressed_, std::nullopt);
    if (pressed && (position - *pressed).manhattanLength() < QApplication::startDragDistance())
        choose(pointAt(position));
}

void ScatterPlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return chooseNeighbour(&ScatterPoint::x, event->key() == Qt::Key_Right);
    case Qt::Key_Up:
    case Qt::Key_Down:
        return chooseNeighbour(&ScatterPoint::y, event->key() == Qt::Key_Up);
    default:
        if (!zoomByKey(event->key()))
            PointPlot::keyPressEvent(event);
    }
}

} // namespace headscope::ui
