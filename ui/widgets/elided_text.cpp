#include "ui/widgets/elided_text.h"

#include "ui/markup/markup.h"
#include "ui/widgets/labels.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyleOptionToolButton>
#include <QStylePainter>
#include <QToolTip>

#include <algorithm>

namespace headscope::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : TextLabel(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

bool ElidedLabel::isShortened() const {
    return fontMetrics().horizontalAdvance(text()) > contentsRect().width();
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || !toolTip().isEmpty() || !isShortened())
        return TextLabel::event(event);
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(),
                       asTip(markup(u"<p>%1</p>", text())), this);
    return true;
}

QString ElidedButton::shownText() const {
    // As QCommonStyle draws the label; the size hint asks for more.
    constexpr int kBesideIcon = 4;
    const int icon_width = icon().isNull() ? 0 : iconSize().width() + kBesideIcon;
    const int frame = style()->pixelMetric(QStyle::PM_DefaultFrameWidth, nullptr, this);
    const int around = 2 * frame + icon_width;
    return fontMetrics().elidedText(text(), Qt::ElideRight, std::max(0, width() - around),
                                    Qt::TextShowMnemonic);
}

void ElidedButton::paintEvent(QPaintEvent*) {
    QStyleOptionToolButton option;
    initStyleOption(&option);
    option.text = shownText();
    QStylePainter(this).drawComplexControl(QStyle::CC_ToolButton, option);
}

} // namespace headscope::ui
