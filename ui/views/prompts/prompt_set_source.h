#pragma once

#include "ui/document/prompt_set_run.h"

#include <QWidget>

class QComboBox;

namespace headscope::ui {

class Dialogs;
class TextChoice;

/// Where a set of prompts comes from: bundled sentences, prompts made for the model, a file, or
/// pasted lines.
class PromptSetSource : public QWidget {
    Q_OBJECT

public:
    explicit PromptSetSource(Dialogs& dialogs, QWidget* parent = nullptr);

    PromptSetText text() const;
    QComboBox* box() const;

signals:
    /// A file could not be read; the source stays what it was.
    void failed(const QString& message);

private:
    TextChoice* choice_ = nullptr;
};

} // namespace headscope::ui
