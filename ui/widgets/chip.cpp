#include "ui/widgets/chip.h"

#include "ui/widgets/colours.h"

#include <QPainter>
#include <QPainterPath>
#include <QPen>
#include <QRectF>

#include <algorithm>

namespace headscope::ui {

namespace {

constexpr double kSideForLines = 9.0;
constexpr double kFaint = 0.22;  ///< share of the colour
constexpr double kWeak = 0.45;   ///< likewise, of what has no room for lines
constexpr double kStripe = 5.0;  ///< pixels from one stripe to the next
constexpr double kDash = 2.2;    ///< widths of the line
constexpr double kBetween = 1.8; ///< likewise

void fillChip(QPainter& painter, const QRectF& rect, double radius, const QColor& colour) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(rect, radius, radius);
}

double widthOfLine(const QRectF& rect) {
    return std::clamp(rect.width() / 14.0, 1.2, 2.2);
}

void drawLineAround(QPainter& painter, const QRectF& rect, double radius, const QColor& colour,
                    bool broken) {
    QPen pen(colour, widthOfLine(rect), Qt::SolidLine, Qt::FlatCap);
    if (broken)
        pen.setDashPattern({kDash, kBetween});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    const double inset = pen.widthF() / 2.0;
    painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), radius, radius);
}

void drawStripes(QPainter& painter, const QRectF& rect, double radius, const QColor& colour) {
    QPainterPath inside;
    inside.addRoundedRect(rect, radius, radius);
    painter.save();
    painter.setClipPath(inside);
    painter.setPen(QPen(colour, 1.0));
    for (double x = rect.left() - rect.height(); x < rect.right(); x += kStripe)
        painter.drawLine(QPointF(x, rect.bottom()), QPointF(x + rect.height(), rect.top()));
    painter.restore();
}

} // namespace

QColor paintChip(QPainter& painter, const QRectF& rect, double radius, ChipLook look,
                 const QColor& colour, const QColor& ground) {
    const bool has_lines = rect.width() >= kSideForLines;
    const bool is_filled = look == ChipLook::Full || (look == ChipLook::Ringed && !has_lines);
    if (is_filled || look == ChipLook::Faint || !has_lines) {
        const double share = look == ChipLook::Faint ? kFaint : kWeak;
        const QColor fill = is_filled ? colour : blend(ground, colour, share);
        fillChip(painter, rect, radius, fill);
        return readableOn(fill);
    }
    const QColor line = standingOut(colour, ground);
    fillChip(painter, rect, radius, ground);
    if (look == ChipLook::Striped)
        drawStripes(painter, rect, radius, blend(ground, line, kWeak));
    drawLineAround(painter, rect, radius, line, look == ChipLook::Dashed);
    if (look != ChipLook::Ringed)
        return readableOn(ground);
    const double inset = 2.0 * widthOfLine(rect);
    fillChip(painter, rect.adjusted(inset, inset, -inset, -inset), radius / 2.0, colour);
    return readableOn(colour);
}

} // namespace headscope::ui
