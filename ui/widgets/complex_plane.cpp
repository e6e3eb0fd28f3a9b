#include "ui/widgets/complex_plane.h"

#include "ui/widgets/colours.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kPlaneMargin = 26.0;
constexpr double kPointRadius = 4.0;
constexpr double kRed = 0.85; ///< of the diverging map
constexpr double kBlue = 0.15;

} // namespace

ComplexPlane::ComplexPlane(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ComplexPlane::setNumbers(std::vector<std::complex<double>> numbers) {
    numbers_ = std::move(numbers);
    largest_ = 0.0;
    for (const std::complex<double>& number : numbers_)
        largest_ = std::max(largest_, std::abs(number));
    setAccessibleDescription(tr("%1 numbers").arg(numbers_.size()));
    update();
}

QSize ComplexPlane::sizeHint() const {
    return {360, 360};
}

QSize ComplexPlane::minimumSizeHint() const {
    return {180, 180};
}

double ComplexPlane::radius() const {
    return std::max(1.0, std::min(width(), height()) / 2.0 - kPlaneMargin);
}

QPointF ComplexPlane::pointOf(std::complex<double> number) const {
    const double scale = largest_ > 0.0 ? radius() / largest_ : 0.0;
    return {width() / 2.0 + scale * number.real(), height() / 2.0 - scale * number.imag()};
}

void ComplexPlane::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), palette().base());
    if (largest_ == 0.0)
        return;
    paintAxes(painter);
    const QColor base = palette().color(QPalette::Base);
    painter.setPen(QPen(base, 1.0));
    for (const std::complex<double>& number : numbers_) {
        painter.setBrush(colourAt(divergingOn(base), number.real() < 0.0 ? kBlue : kRed));
        painter.drawEllipse(pointOf(number), kPointRadius, kPointRadius);
    }
}

void ComplexPlane::paintAxes(QPainter& painter) const {
    const QColor base = palette().color(QPalette::Base);
    const QColor text = palette().color(QPalette::Text);
    const QPointF zero = pointOf({0.0, 0.0});
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(blend(base, text, 0.25), 1.0, Qt::DashLine));
    painter.drawEllipse(zero, radius(), radius());
    painter.setPen(QPen(blend(base, text, 0.45), 1.0));
    const double reach = radius() + 8.0;
    painter.drawLine(zero - QPointF(reach, 0.0), zero + QPointF(reach, 0.0));
    painter.drawLine(zero - QPointF(0.0, reach), zero + QPointF(0.0, reach));
    painter.setPen(blend(base, text, 0.7));
    const double line = painter.fontMetrics().height();
    painter.drawText(QRectF(zero.x() + reach - 30.0, zero.y() + 2.0, 40.0, line), Qt::AlignRight,
                     tr("Re"));
    painter.drawText(QRectF(zero.x() + 6.0, zero.y() - reach - 6.0, 40.0, line), Qt::AlignLeft,
                     tr("Im"));
    painter.drawText(QRectF(zero.x() - reach, zero.y() + radius() + 4.0, 2.0 * reach, line),
                     Qt::AlignRight, tr("circle: |λ| = %1").arg(largest_, 0, 'g', 3));
}

} // namespace headscope::ui
