#include "ui/views/type_badge.h"

#include "core/analysis/detectors/detector.h"
#include "ui/widgets/type_colour.h"

#include <QApplication>
#include <QPainter>
#include <QPixmap>

namespace headscope::ui {
namespace {

constexpr int kSide = 18; // logical pixels
constexpr int kScale = 3; // so that it stays sharp on dense screens

} // namespace

QColor typeColourOf(DetectorId id) {
    const auto all = detectors();
    return typeColour(static_cast<int>(&detector(id) - all.data()));
}

QIcon typeIcon(DetectorId id) {
    QPixmap pixmap(kSide * kScale, kSide * kScale);
    pixmap.setDevicePixelRatio(kScale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF square(0.5, 0.5, kSide - 1.0, kSide - 1.0);
    const QColor colour = typeColourOf(id);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(square, 4, 4);
    QFont font = QApplication::font();
    font.setBold(true);
    font.setPixelSize(12);
    painter.setFont(font);
    painter.setPen(readableOn(colour));
    painter.drawText(square, Qt::AlignCenter, QString(QLatin1Char(detector(id).letter)));
    return QIcon(pixmap);
}

} // namespace headscope::ui
