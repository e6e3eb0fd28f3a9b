#pragma once

#include "ui/views/help/key_row.h"
#include "ui/views/window/command.h"

#include <QKeySequence>
#include <QList>

#include <initializer_list>

namespace headscope::ui {

class MainWindow;

/// The keys of the commands, then those that views know by themselves.
QList<KeyRow> keyTable(const QList<CommandMenu>& menus);

// The commands of each menu of the window.
QList<Command> fileCommands(MainWindow& window);
QList<Command> editCommands(MainWindow& window);
QList<Command> viewCommands(MainWindow& window);
QList<Command> pageCommands(MainWindow& window);
QList<Command> headCommands(MainWindow& window);
QList<Command> analysisCommands(MainWindow& window);
QList<Command> helpCommands(MainWindow& window);

/// Keys from their portable text: "Ctrl+Shift+Z".
QList<QKeySequence> keys(std::initializer_list<const char*> names);

} // namespace headscope::ui
