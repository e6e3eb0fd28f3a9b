#include "ui/widgets/elided_button.h"

#include <QStyleOptionToolButton>
#include <QStylePainter>

#include <algorithm>

namespace headscope::ui {

QString ElidedButton::shownText() const {
    // As QCommonStyle draws the label; the size hint asks for more.
    constexpr int kBesideIcon = 4;
    const int icon_width = icon().isNull() ? 0 : iconSize().width() + kBesideIcon;
    const int frame = style()->pixelMetric(QStyle::PM_DefaultFrameWidth, nullptr, this);
    const int around = 2 * frame + icon_width;
    return fontMetrics().elidedText(text(), Qt::ElideRight, std::max(0, width() - around));
}

void ElidedButton::paintEvent(QPaintEvent*) {
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.text = shownText();
    QStylePainter(this).drawComplexControl(QStyle::CC_ToolButton, option);
}

} // namespace headscope::ui
