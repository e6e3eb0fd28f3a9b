#pragma once

#include "ui/document/prompt_set_run.h"

#include <QWidget>

class QComboBox;
class QPlainTextEdit;

namespace headscope::ui {

class Dialogs;

/// Where a set of prompts comes from: bundled sentences, prompts made for the model, a file, or
/// pasted lines.
class PromptSetSource : public QWidget {
    Q_OBJECT

public:
    explicit PromptSetSource(Dialogs& dialogs, QWidget* parent = nullptr);

    PromptSetText text() const;
    QComboBox* box() const { return box_; }

signals:
    void changed();
    /// A file could not be read; the source stays what it was.
    void failed(const QString& message);

private:
    enum Kind { Sentences, IndirectObjects, File, Pasted };
    void choose(int kind);
    bool chooseFile();

    Dialogs& dialogs_;
    PromptSetText from_file_;
    int kind_ = Sentences;
    QComboBox* box_ = nullptr;
    QPlainTextEdit* pasted_ = nullptr;
};

} // namespace headscope::ui
