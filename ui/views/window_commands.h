#pragma once

#include "ui/views/window/command.h"

#include <QList>

namespace headscope::ui {

class MainWindow;

/// All commands of a window, in the order of its menus.
QList<CommandMenu> windowCommands(MainWindow& window);

} // namespace headscope::ui
