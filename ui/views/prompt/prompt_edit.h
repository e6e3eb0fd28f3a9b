#pragma once

#include <QLineEdit>

namespace headscope::ui {

/// A line for a prompt of any length. Keys that a line edit claims without a use for them, Ctrl+E
/// and undo and redo where there is nothing to undo, are left to the window.
class PromptEdit : public QLineEdit {
    Q_OBJECT

public:
    PromptEdit(const QString& name, const QString& accessible_name, QWidget* parent);

protected:
    bool event(QEvent* event) override;
};

} // namespace headscope::ui
