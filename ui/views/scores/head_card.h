#pragma once

#include "ui/document/document.h"

#include <QString>
#include <QTimer>
#include <QWidget>

#include <cstddef>
#include <optional>

class QLineEdit;
class QToolButton;
class QLabel;

namespace headscope::ui {

class Document;
class MarkupLabel;

/// What the user says of the selected head: a bookmark and a line of text; under it what the open
/// project says beside that.
class NoteLine : public QWidget {
    Q_OBJECT

public:
    explicit NoteLine(Document& document, QWidget* parent = nullptr);

private:
    void showNote();
    void showProjectNote();
    void takeNote();

    Document& document_;
    QToolButton* bookmark_ = nullptr;
    QLineEdit* text_ = nullptr;
    QLabel* of_project_ = nullptr;
};

class WritingLine;

/// The selected head in a few lines: its types, what it reads and writes at the locked row of the
/// prompt or, without one, at the last, and the user's note. The lines keep their places from head
/// to head.
class HeadCard : public QWidget {
    Q_OBJECT

public:
    explicit HeadCard(Document& document, QWidget* parent = nullptr);

private:
    void addLine(QLabel* label, const char* name, int lines);
    void connectDocument();
    void showTypes();
    void showPlace();
    void readWriting();

    Document& document_;
    MarkupLabel* types_ = nullptr;
    QLabel* reads_ = nullptr;
    WritingLine* writes_ = nullptr;
    QTimer writing_delay_; ///< what a head writes costs a run: not for each one that is passed over
};

} // namespace headscope::ui
