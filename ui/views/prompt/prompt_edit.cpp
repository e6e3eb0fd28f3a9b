#include "ui/views/prompt/prompt_edit.h"

#include <QKeyEvent>

#include <limits>

namespace headscope::ui {

PromptEdit::PromptEdit(const QString& name, const QString& accessible_name, QWidget* parent)
    : QLineEdit(parent) {
    setObjectName(name);
    setAccessibleName(accessible_name);
    setClearButtonEnabled(true);
    setMaxLength(std::numeric_limits<int>::max()); // 32767 cut long prompts
    setAcceptDrops(false);                         // a dropped file is a model: the window takes it
}

bool PromptEdit::event(QEvent* event) {
    if (event->type() != QEvent::ShortcutOverride)
        return QLineEdit::event(event);
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool is_export = key->matches(QKeySequence::MoveToEndOfLine) && key->key() == Qt::Key_E;
    const bool idle_undo = key->matches(QKeySequence::Undo) && !isUndoAvailable();
    const bool idle_redo = key->matches(QKeySequence::Redo) && !isRedoAvailable();
    if (!is_export && !idle_undo && !idle_redo)
        return QLineEdit::event(event);
    event->ignore();
    return true;
}

} // namespace headscope::ui
