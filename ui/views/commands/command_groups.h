#pragma once

#include "ui/views/commands/commands.h"

namespace headscope::ui {

// The commands of each menu of the window.
QList<Command> fileCommands(MainWindow& window);
QList<Command> editCommands(MainWindow& window);
QList<Command> viewCommands(MainWindow& window);
QList<Command> headCommands(MainWindow& window);
QList<Command> analysisCommands(MainWindow& window);
QList<Command> helpCommands(MainWindow& window);

/// Keys from their portable text: "Ctrl+Shift+Z".
QList<QKeySequence> keys(std::initializer_list<const char*> names);

} // namespace headscope::ui
