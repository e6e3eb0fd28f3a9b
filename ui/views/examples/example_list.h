#pragma once

#include "core/heads/examples.h"

#include <QAbstractListModel>
#include <QStringList>
#include <QStyledItemDelegate>
#include <QVector>

class QTextDocument;

namespace headscope::ui {

/// The examples of a head as a list; what a row says without its colours is its text.
class ExampleModel : public QAbstractListModel {
    Q_OBJECT

public:
    using QAbstractListModel::QAbstractListModel;

    void setExamples(QVector<HeadExample> examples);
    /// One line for each example, in front of its text; empty: none.
    void setNotes(const QStringList& notes);
    const HeadExample& example(int row) const { return examples_[row]; }
    /// "decile 10 · 0.93 from ·to to ·Mary", with the note.
    QString heading(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    QVector<HeadExample> examples_;
    QStringList notes_;
};

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
