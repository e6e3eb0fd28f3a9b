#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace headscope::ui {

class Document;

/// What the user says of the selected head: a bookmark and a line of text.
class NoteLine : public QWidget {
    Q_OBJECT

public:
    explicit NoteLine(Document& document, QWidget* parent = nullptr);

private:
    void showNote();
    void takeNote();

    Document& document_;
    QToolButton* bookmark_ = nullptr;
    QLineEdit* text_ = nullptr;
};

} // namespace headscope::ui
