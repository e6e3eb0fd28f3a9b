#pragma once

#include "core/heads/head_type.h"

#include <QList>
#include <QMap>
#include <QScrollArea>

class QGridLayout;
class QLabel;
class QToolButton;

namespace headscope::ui {

class Document;

/// The types that some head of the model has, each a button that leaves only its heads in the grid.
/// Its height is the same for few types and many, so that nothing moves while they are found; those
/// that have no room scroll.
class TypeLegend : public QScrollArea {
    Q_OBJECT

public:
    explicit TypeLegend(Document& document, QWidget* parent = nullptr);

    /// Stands under the types; empty: nothing.
    void setNote(const QString& note);

    QSize sizeHint() const override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QToolButton* makeButton(const HeadType& type);
    void showTypes();
    /// One stop of the tab key; arrow keys move within.
    void makeTabStop(const QToolButton* stop);

    Document& document_;
    QGridLayout* places_ = nullptr;
    QLabel* note_ = nullptr;
    QMap<HeadTypeId, QToolButton*> buttons_;
    QList<QToolButton*> shown_; ///< of them, in their order
};

} // namespace headscope::ui
