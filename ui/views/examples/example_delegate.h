#pragma once

#include <QStyledItemDelegate>

class QTextDocument;

namespace headscope::ui {

/// Draws an example of an ExampleModel: its heading, and its text in which the query stands out and
/// its keys are tinted by their weights.
class ExampleDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    void layOut(QTextDocument& text, const QStyleOptionViewItem& option,
                const QModelIndex& index) const;
};

} // namespace headscope::ui
