#include "ui/widgets/curve_plot.h"

#include "ui/markup/markup.h"
#include "ui/widgets/curve/curve_drawing.h"
#include "ui/widgets/figure/figure_file.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QToolTip>
#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kPointReach = 18.0; ///< pixels from a point at which the pointer still means it
constexpr QSize kSmallestCurves{240, 140};
constexpr int kTitleHeight = 30; ///< pixels of a figure
constexpr int kNoteHeight = 42;
constexpr int kFigureMargin = 12;

} // namespace

CurvePlot::CurvePlot(QWidget* parent) : PointPlot(kSmallestCurves, parent) {
    plot().setInteractions(QCP::iRangeZoom);
    // The plot owns what is added to its layers.
    marks_ = new CurveMarks(&plot(), *this);
    setAccessibleName(tr("Curves"));
    applyTheme();
    showAll();
}

PointPlot::Range CurvePlot::allAcross() const {
    const QCPRange all = acrossRange(content_);
    return {all.lower, all.upper};
}

PointPlot::Range CurvePlot::allUp() const {
    const QCPRange all = upRange(content_);
    return {all.lower, all.upper};
}

std::optional<QPointF> CurvePlot::chosenPoint() const {
    return chosen_ ? std::optional(QPointF(at(*chosen_).x, at(*chosen_).y)) : std::nullopt;
}

void CurvePlot::applyTheme() {
    drawCurves(plot(), content_, HeatmapTheme::fromPalette(palette()), font());
    replot();
}

void CurvePlot::setContent(CurvePlotContent content) {
    const bool zoomed = plot().xAxis->range() != acrossRange(content_) ||
                        plot().yAxis->range() != upRange(content_);
    const bool same_axes = content.x_name == content_.x_name && content.y_name == content_.y_name &&
                           content.x_most == content_.x_most;
    content_ = std::move(content);
    if (chosen_ && !has(*chosen_))
        chosen_.reset();
    hovered_.reset();
    applyTheme();
    if (!zoomed || !same_axes)
        showAll();
    describe();
}

void CurvePlot::setChosen(std::optional<CurvePlotPlace> place) {
    const auto valid = place && has(*place) ? place : std::nullopt;
    if (std::exchange(chosen_, valid) != valid)
        hovered_.reset(); // what was chosen last is read, until the pointer moves on
    describe();
    replot();
}

bool CurvePlot::has(CurvePlotPlace place) const {
    return place.line >= 0 && place.line < content_.lines.size() && place.point >= 0 &&
           place.point < content_.lines[place.line].points.size();
}

bool CurvePlot::hasPoints() const {
    for (const CurvePlotLine& line : content_.lines)
        if (!line.points.isEmpty())
            return true;
    return false;
}

const CurvePlotPoint& CurvePlot::at(CurvePlotPlace place) const {
    return content_.lines[place.line].points[place.point];
}

QPoint CurvePlot::placeOf(CurvePlotPlace place) const {
    return plot().mapTo(this, marks_->pixelOf(at(place)).toPoint());
}

std::optional<CurvePlotPlace> CurvePlot::nearest(QPointF position) const {
    std::optional<CurvePlotPlace> found;
    double least = kPointReach;
    for (int line = 0; line < content_.lines.size(); ++line)
        for (int point = 0; point < content_.lines[line].points.size(); ++point) {
            const QPointF away = marks_->pixelOf(at({line, point})) - position;
            const double distance = std::hypot(away.x(), away.y());
            if (distance >= least)
                continue;
            found = {line, point};
            least = distance;
        }
    return found;
}

std::optional<CurvePlotPlace> CurvePlot::nearestOnLine(int line, double x) const {
    std::optional<CurvePlotPlace> found;
    for (int point = 0; line < content_.lines.size() && point < content_.lines[line].points.size();
         ++point)
        if (!found || std::abs(at({line, point}).x - x) < std::abs(at(*found).x - x))
            found = {line, point};
    return found;
}

void CurvePlot::hover(std::optional<QPointF> position) {
    const auto place = position ? nearest(*position) : std::nullopt;
    if (place == hovered_)
        return;
    hovered_ = place;
    replot();
    if (place)
        QToolTip::showText(plot().mapToGlobal(position->toPoint()), asTip(at(*place).text),
                           &plot());
    else
        QToolTip::hideText();
    emit hoverChanged();
}

void CurvePlot::press(QPointF position) {
    setFocus(Qt::MouseFocusReason);
    const auto place = nearest(position);
    if (!place)
        return;
    dragged_line_ = place->line;
    setChosen(place);
    emit taken(*place, true);
}

void CurvePlot::dragTo(QPointF position) {
    const auto place = nearestOnLine(*dragged_line_, plot().xAxis->pixelToCoord(position.x()));
    if (!place || place == chosen_)
        return;
    setChosen(place);
    emit taken(*place, false);
}

void CurvePlot::choose(std::optional<CurvePlotPlace> place) {
    if (!place || place == chosen_)
        return;
    setChosen(place);
    emit chosen(*place);
}

void CurvePlot::stepAlong(int points) {
    if (!hasPoints())
        return;
    if (!chosen_)
        return stepAcross(1);
    const CurvePlotPlace next{chosen_->line, chosen_->point + points};
    if (has(next))
        choose(next);
}

void CurvePlot::stepAcross(int lines) {
    if (!hasPoints())
        return;
    const int count = static_cast<int>(content_.lines.size());
    int line = chosen_ ? chosen_->line : count - 1;
    const double x = chosen_ ? at(*chosen_).x : 0.0;
    do
        line = (line + lines + count) % count;
    while (content_.lines[line].points.isEmpty());
    choose(nearestOnLine(line, x));
}

void CurvePlot::describe() {
    setAccessibleDescription(chosen_ ? at(*chosen_).text : hasPoints() ? QString() : emptyText());
}

namespace {

/// So that none of its lines is cut off.
int noteHeight(const QString& note, const QFont& font, int width) {
    const QRect any(0, 0, width, QWIDGETSIZE_MAX);
    const QRect drawn = QFontMetrics(font).boundingRect(any, Qt::TextWordWrap, note);
    return std::max(kNoteHeight, drawn.height() + kFigureMargin / 2);
}

} // namespace

Result<void> CurvePlot::saveFigure(const QString& path, QSize size, double png_scale) const {
    const FigurePage page{size, content_.title, content_.note, font().family(), png_scale};
    return saveFigureFile(path, page, [this, size](QCPPainter& painter, bool) {
        const HeatmapTheme theme = HeatmapTheme::forPaper();
        const QFont text = figureFont(font().family());
        QCustomPlot figure;
        drawCurves(figure, content_, theme, text);
        figure.xAxis->setRange(plot().xAxis->range());
        figure.yAxis->setRange(plot().yAxis->range());
        painter.save();
        painter.translate(0, kTitleHeight);
        const int width = size.width() - 2 * kFigureMargin;
        const int note = noteHeight(content_.note, text, width);
        figure.toPainter(&painter, size.width(), size.height() - kTitleHeight - note);
        painter.restore();
        painter.setFont(text);
        painter.setPen(theme.text);
        painter.drawText(QRect(kFigureMargin, 0, width, kTitleHeight),
                         Qt::AlignLeft | Qt::AlignVCenter, content_.title);
        painter.setPen(theme.faint);
        painter.drawText(QRect(kFigureMargin, size.height() - note, width, note),
                         Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, content_.note);
    });
}

bool CurvePlot::eventFilter(QObject* watched, QEvent* event) {
    const auto* mouse = dynamic_cast<QMouseEvent*>(event);
    switch (event->type()) {
    case QEvent::MouseMove:
        if (dragged_line_ && mouse->buttons().testFlag(Qt::LeftButton))
            dragTo(mouse->position());
        else
            hover(mouse->position());
        break;
    case QEvent::Leave:
        hover(std::nullopt);
        break;
    case QEvent::MouseButtonPress:
        if (mouse->button() == Qt::LeftButton)
            press(mouse->position());
        break;
    case QEvent::MouseButtonRelease:
        dragged_line_.reset();
        break;
    case QEvent::MouseButtonDblClick:
        showAll();
        break;
    default:
        break;
    }
    return PointPlot::eventFilter(watched, event);
}

void CurvePlot::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
        return stepAlong(event->key() == Qt::Key_Right ? 1 : -1);
    case Qt::Key_Up:
    case Qt::Key_Down:
        return stepAcross(event->key() == Qt::Key_Down ? 1 : -1);
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (chosen_)
            emit taken(*chosen_, true);
        return;
    case Qt::Key_Escape:
        if (dragged_line_) {
            dragged_line_.reset();
            emit dragCancelled();
            return;
        }
        break;
    default:
        break;
    }
    if (!zoomByKey(event->key()))
        PointPlot::keyPressEvent(event);
}

} // namespace headscope::ui
