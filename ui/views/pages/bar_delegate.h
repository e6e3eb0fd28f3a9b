#pragma once

#include <QStyledItemDelegate>

namespace headscope::ui {

/// Draws a number of a NumberTable with a bar on its left: from the middle to the right in red
/// above 0, to the left in blue below, white at 0.
class BarDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

} // namespace headscope::ui
