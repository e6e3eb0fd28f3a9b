#include "ui/widgets/colour_legend.h"

#include "ui/widgets/colours.h"

#include <QPainter>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kLegendLength = 200;
constexpr int kLegendHeight = 10;
constexpr int kSpace = 10;  ///< between name and bar, and at both ends of the bar
constexpr int kLineGap = 2; ///< between bar and numbers

std::vector<double> marksOf(const CellColours& colours) {
    if (colours.scale != ValueScale::Linear)
        return scaleMarks(colours);
    return {colours.low, (colours.low + colours.high) / 2.0, colours.high};
}

} // namespace

ColourLegend::ColourLegend(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void ColourLegend::setColours(const CellColours& colours, const QString& name) {
    colours_ = colours;
    name_ = name;
    setAccessibleName(tr("%1, colours from %2 to %3").arg(name).arg(colours.low).arg(colours.high));
    updateGeometry();
    update();
}

QSize ColourLegend::sizeHint() const {
    return {fontMetrics().horizontalAdvance(name_) + 3 * kSpace + kLegendLength,
            kLegendHeight + kLineGap + fontMetrics().height()};
}

void ColourLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int left = fontMetrics().horizontalAdvance(name_) + kSpace;
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(QRect(0, 0, left, height()), Qt::AlignLeft | Qt::AlignVCenter, name_);

    const QRect bar(left + kSpace, 0, kLegendLength, kLegendHeight);
    for (int x = 0; x < bar.width(); ++x)
        painter.fillRect(bar.left() + x, bar.top(), 1, bar.height(),
                         colourAt(colours_.map, (x + 0.5) / bar.width()));
    int free_from = 0;
    for (const double mark : marksOf(colours_)) {
        const QString text = QString::number(mark, 'g', 2);
        const int width = fontMetrics().horizontalAdvance(text);
        const int middle = bar.left() + static_cast<int>(fractionOf(mark, colours_) * bar.width());
        const int at = std::min(middle - width / 2, this->width() - width);
        if (at < free_from)
            continue;
        painter.drawText(QRect(at, bar.bottom() + 1 + kLineGap, width, fontMetrics().height()),
                         Qt::AlignCenter | Qt::TextDontClip, text);
        free_from = at + width + kSpace / 2;
    }
}

} // namespace headscope::ui
