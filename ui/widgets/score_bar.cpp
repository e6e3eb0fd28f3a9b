#include "ui/widgets/score_bar.h"

#include "ui/widgets/colours.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QTextOption>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kStep = 0.01;
constexpr double kPage = 0.1;
constexpr double kBarHeight = 10.0;
constexpr double kKnobRadius = 5.0;
constexpr double kGrip = 9.0; ///< how far beside the handle a press still takes it, pixels

QString twoDecimals(double value) {
    return QString::number(value, 'f', 2);
}

} // namespace

ScoreBar::ScoreBar(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    describe();
}

void ScoreBar::setValue(Value value) {
    value_ = value;
    describe();
    update();
}

void ScoreBar::setColour(QColor colour) {
    colour_ = colour;
    update();
}

void ScoreBar::setThreshold(double threshold) {
    threshold_ = std::clamp(threshold, 0.0, 1.0);
    describe();
    update();
}

void ScoreBar::setEditable(bool editable) {
    is_editable_ = editable;
    dragging_ = false;
    setFocusPolicy(editable ? Qt::StrongFocus : Qt::NoFocus);
    unsetCursor();
    update();
}

void ScoreBar::moveThresholdTo(double threshold) {
    const double rounded = std::clamp(std::round(threshold / kStep) * kStep, 0.0, 1.0);
    if (rounded == threshold_)
        return;
    setThreshold(rounded);
    emit thresholdMoved(rounded);
}

void ScoreBar::describe() {
    const QString score = std::isnan(value_.score)
                              ? tr("Score not defined")
                              : tr("Score %1, baseline %2, interval %3 to %4")
                                    .arg(twoDecimals(value_.score), twoDecimals(value_.baseline),
                                         twoDecimals(value_.low), twoDecimals(value_.high));
    setAccessibleDescription(tr("%1, threshold %2").arg(score, twoDecimals(threshold_)));
    tellValueChanged(*this);
}

QString ScoreBar::valueText() const {
    const QString score = std::isnan(value_.score) ? tr("not defined") : twoDecimals(value_.score);
    return tr("%1, threshold %2").arg(score, twoDecimals(threshold_));
}

double ScoreBar::valueStep() const {
    return kStep;
}

QSize ScoreBar::sizeHint() const {
    return {160, minimumSizeHint().height()};
}

QSize ScoreBar::minimumSizeHint() const {
    return {80, std::max(24, fontMetrics().height() + 8)};
}

QRectF ScoreBar::barRect() const {
    const double margin = kKnobRadius + 3.0;
    const double top = std::round((height() - kBarHeight + kKnobRadius) / 2.0);
    return {margin, top, std::max(1.0, width() - 2.0 * margin), kBarHeight};
}

double ScoreBar::xOf(double fraction) const {
    const QRectF bar = barRect();
    return bar.left() + std::clamp(fraction, 0.0, 1.0) * bar.width();
}

bool ScoreBar::isOnHandle(QPointF position) const {
    return is_editable_ && std::abs(position.x() - xOf(threshold_)) <= kGrip;
}

void ScoreBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintBar(painter);
    if (!std::isnan(value_.score))
        paintBaselineAndInterval(painter);
    paintHandle(painter);
}

void ScoreBar::paintBar(QPainter& painter) const {
    const QColor window = palette().color(QPalette::Window);
    const QColor text = palette().color(QPalette::WindowText);
    const QRectF bar = barRect();
    QPainterPath track;
    track.addRoundedRect(bar, 3.0, 3.0);
    painter.fillPath(track, blend(window, text, 0.12));
    if (std::isnan(value_.score)) {
        QFont font = painter.font();
        font.setPixelSize(static_cast<int>(kBarHeight) - 1);
        painter.setFont(font);
        painter.setPen(blend(window, text, 0.75));
        // On the side that the handle leaves free.
        const Qt::Alignment side = threshold_ < 0.5 ? Qt::AlignRight : Qt::AlignLeft;
        painter.drawText(bar.adjusted(6.0, 0.0, -6.0, 0.0), tr("not defined"),
                         QTextOption(side | Qt::AlignVCenter));
        return;
    }
    QRectF filled = bar;
    filled.setRight(xOf(value_.score));
    const QColor full =
        colour_.isValid() && isEnabled() ? colour_ : palette().color(QPalette::Highlight);
    painter.save();
    painter.setClipRect(filled);
    painter.fillPath(track, value_.score >= threshold_ ? full : blend(window, full, 0.5));
    painter.restore();
}

void ScoreBar::paintBaselineAndInterval(QPainter& painter) const {
    const QColor window = palette().color(QPalette::Window);
    const QColor text = palette().color(QPalette::WindowText);
    const QRectF bar = barRect();
    painter.setPen(QPen(blend(window, text, 0.75), 1.5, Qt::DotLine, Qt::FlatCap));
    const double baseline = xOf(value_.baseline);
    painter.drawLine(QPointF(baseline, bar.top() - 2.0), QPointF(baseline, bar.bottom() + 3.0));

    if (!(value_.high > value_.low))
        return;
    const double low = xOf(value_.low);
    const double high = xOf(value_.high);
    const double middle = bar.center().y();
    const QLineF lines[] = {{low, middle, high, middle},
                            {low, middle - 3.0, low, middle + 3.0},
                            {high, middle - 3.0, high, middle + 3.0}};
    // A casing in the window's colour keeps the whisker visible on any bar colour.
    painter.setPen(QPen(window, 3.5, Qt::SolidLine, Qt::SquareCap));
    painter.drawLines(lines, 3);
    painter.setPen(QPen(text, 1.5, Qt::SolidLine, Qt::FlatCap));
    painter.drawLines(lines, 3);
}

void ScoreBar::paintHandle(QPainter& painter) const {
    const QColor window = palette().color(QPalette::Window);
    const QColor text = palette().color(QPalette::WindowText);
    const QRectF bar = barRect();
    const double x = xOf(threshold_);
    const QPointF knob(x, bar.top() - (is_editable_ ? kKnobRadius - 1.0 : 2.0));
    painter.setPen(QPen(window, 4.0, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(knob, QPointF(x, bar.bottom() + 2.0));
    painter.setPen(QPen(text, 2.0, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(knob, QPointF(x, bar.bottom() + 2.0));
    if (!is_editable_)
        return;
    painter.setBrush(hasFocus() ? palette().color(QPalette::Highlight) : window);
    painter.drawEllipse(knob, kKnobRadius - 1.0, kKnobRadius - 1.0);
    if (!hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 1.5));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1.0, 1.0, -1.0, -1.0), 4.0, 4.0);
}

void ScoreBar::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton)
        dragging_ = isOnHandle(event->position());
}

void ScoreBar::mouseMoveEvent(QMouseEvent* event) {
    if (dragging_)
        moveThresholdTo((event->position().x() - barRect().left()) / barRect().width());
    setCursor(dragging_ || isOnHandle(event->position()) ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void ScoreBar::mouseReleaseEvent(QMouseEvent*) {
    dragging_ = false;
}

void ScoreBar::keyPressEvent(QKeyEvent* event) {
    if (!is_editable_)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        return moveThresholdTo(threshold_ - kStep);
    case Qt::Key_Right:
    case Qt::Key_Up:
        return moveThresholdTo(threshold_ + kStep);
    case Qt::Key_PageDown:
        return moveThresholdTo(threshold_ - kPage);
    case Qt::Key_PageUp:
        return moveThresholdTo(threshold_ + kPage);
    case Qt::Key_Home:
        return moveThresholdTo(0.0);
    case Qt::Key_End:
        return moveThresholdTo(1.0);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace headscope::ui
