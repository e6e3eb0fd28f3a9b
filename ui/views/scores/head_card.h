#pragma once

#include "ui/document/document.h"

#include <QTimer>
#include <QWidget>

class QLabel;

namespace headscope::ui {

class WritingLine;

/// The selected head in a few lines: its types, what it reads and writes at the locked row of the
/// prompt or, without one, at the last, and the user's note. The lines keep their places from head
/// to head.
class HeadCard : public QWidget {
    Q_OBJECT

public:
    explicit HeadCard(Document& document, QWidget* parent = nullptr);

private:
    QLabel* addLine(const char* name, int lines);
    void connectDocument();
    void showTypes();
    void showPlace();
    void readWriting();
    /// The query that is read; nothing without a run.
    std::optional<std::size_t> query() const;

    Document& document_;
    QLabel* types_ = nullptr;
    QLabel* reads_ = nullptr;
    WritingLine* writes_ = nullptr;
    QTimer writing_delay_; ///< what a head writes costs a run: not for each one that is passed over
};

} // namespace headscope::ui
