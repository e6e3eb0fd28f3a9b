#pragma once

#include "core/heads/head_type.h"

#include <QMap>
#include <QScrollArea>

class QGridLayout;
class QLabel;
class QToolButton;

namespace headscope::ui {

class Document;
class TabGroup;

/// The types that some head of the model has, each a button that leaves only its heads in the grid;
/// together they are one stop of the tab key.
/// Its height is the same for few types and many, so that nothing moves while they are found; those
/// that have no room scroll.
class TypeLegend : public QScrollArea {
    Q_OBJECT

public:
    explicit TypeLegend(Document& document, QWidget* parent = nullptr);

    /// Stands under the types; empty: nothing.
    void setNote(const QString& note);

    QSize sizeHint() const override;

private:
    QToolButton* makeButton(const HeadType& type);
    void showTypes();

    Document& document_;
    QGridLayout* places_ = nullptr;
    QLabel* note_ = nullptr;
    QMap<HeadTypeId, QToolButton*> buttons_;
    TabGroup* shown_ = nullptr; ///< of them, in their order
};

} // namespace headscope::ui
