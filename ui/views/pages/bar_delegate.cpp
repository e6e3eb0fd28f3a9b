#include "ui/views/pages/bar_delegate.h"

#include "ui/tables/number_table.h"
#include "ui/widgets/colours.h"

#include <QPainter>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kUsualBarWidth = 120; ///< of −1 to 1, pixels
constexpr int kLeastBarWidth = 60;
constexpr int kBarMargin = 4;

/// As wide in every row: what the widest number leaves of the column.
double barWidth(const QStyleOptionViewItem& option) {
    const int number = option.fontMetrics.horizontalAdvance(QStringLiteral("−00.0000"));
    return std::max(kLeastBarWidth, option.rect.width() - number - 4 * kBarMargin);
}

} // namespace

void BarDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant bar = index.data(NumberTable::kBarRole);
    if (!bar.isValid())
        return;
    const QRectF area(option.rect.left() + kBarMargin, option.rect.top() + kBarMargin,
                      barWidth(option), option.rect.height() - 2 * kBarMargin);
    const double share = bar.toDouble();
    const double middle = area.center().x();
    const QRectF filled(QPointF(middle, area.top()),
                        QPointF(middle + share * area.width() / 2.0, area.bottom()));
    const QColor base = option.palette.color(QPalette::Base);
    const QColor line = blend(base, option.palette.color(QPalette::Text), 0.45);
    painter->save();
    painter->setPen(QPen(line, 1.0));
    painter->setBrush(colourAt(divergingOn(base), 0.5 + share / 2.0));
    painter->drawRect(filled.normalized());
    painter->drawLine(QLineF(middle, option.rect.top(), middle, option.rect.bottom()));
    painter->restore();
}

QSize BarDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QSize text = QStyledItemDelegate::sizeHint(option, index);
    return {text.width() + kUsualBarWidth + 2 * kBarMargin, text.height()};
}

} // namespace headscope::ui
