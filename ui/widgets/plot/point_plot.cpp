#include "ui/widgets/plot/point_plot.h"

#include <QEvent>
#include <QVBoxLayout>
#include <qcustomplot.h>

namespace headscope::ui {
namespace {

constexpr double kKeyZoom = 0.7;

} // namespace

PointPlot::PointPlot(QSize smallest, QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(smallest);
    plot_ = new QCustomPlot(this);
    plot_->setFocusPolicy(Qt::NoFocus);
    plot_->installEventFilter(this);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis})
        connect(axis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), this,
                [this, axis](const QCPRange& wanted) {
                    const auto [lower, upper] = allAlong(axis);
                    axis->setRange(wanted.bounded(lower, upper));
                });
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot_);
}

PointPlot::~PointPlot() {
    plot_->removeEventFilter(this);
}

void PointPlot::setEmptyText(const QString& text) {
    empty_text_ = text;
    describe();
    replot();
}

void PointPlot::replot() {
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

PointPlot::Range PointPlot::allAlong(const QCPAxis* axis) const {
    return axis == plot_->xAxis ? allAcross() : allUp();
}

void PointPlot::showAll() {
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        const auto [lower, upper] = allAlong(axis);
        axis->setRange(lower, upper);
    }
    replot();
}

void PointPlot::zoom(double factor) {
    const auto point = chosenPoint();
    plot_->xAxis->scaleRange(factor, point ? point->x() : plot_->xAxis->range().center());
    plot_->yAxis->scaleRange(factor, point ? point->y() : plot_->yAxis->range().center());
    replot();
}

bool PointPlot::zoomByKey(int key) {
    switch (key) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        zoom(kKeyZoom);
        return true;
    case Qt::Key_Minus:
        zoom(1.0 / kKeyZoom);
        return true;
    case Qt::Key_0:
        showAll();
        return true;
    default:
        return false;
    }
}

void PointPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange)
        applyTheme();
    QWidget::changeEvent(event);
}

void PointPlot::focusInEvent(QFocusEvent* event) {
    replot();
    QWidget::focusInEvent(event);
}

void PointPlot::focusOutEvent(QFocusEvent* event) {
    replot();
    QWidget::focusOutEvent(event);
}

} // namespace headscope::ui
