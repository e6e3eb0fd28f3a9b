#pragma once

#include "ui/views/commands/commands.h"

#include <QDialog>
#include <QList>

class QLabel;
class QLineEdit;
class QListWidget;

namespace headscope::ui {

/// The given commands in one list that shrinks while typing. Those that cannot be given now say
/// why, when they are looked for.
class CommandPalette : public QDialog {
    Q_OBJECT

public:
    CommandPalette(const QList<Command>& commands, Document& document, QWidget* parent = nullptr);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void filter(const QString& text);
    void runCurrent();

    QLineEdit* search_ = nullptr;
    QListWidget* list_ = nullptr;
    QLabel* none_ = nullptr;
    QList<Command> commands_; ///< by row of the list
};

} // namespace headscope::ui
