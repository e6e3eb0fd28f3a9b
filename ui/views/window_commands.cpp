#include "ui/views/window_commands.h"

#include "ui/views/commands/commands.h"

#include <QCoreApplication>

namespace headscope::ui {

namespace {

struct MenuText {
    Q_DECLARE_TR_FUNCTIONS(MenuText)
};

} // namespace

QList<CommandMenu> windowCommands(MainWindow& window) {
    return {{QStringLiteral("fileMenu"), MenuText::tr("&File"), fileCommands(window)},
            {QStringLiteral("editMenu"), MenuText::tr("&Edit"), editCommands(window)},
            {QStringLiteral("viewMenu"), MenuText::tr("&View"), viewCommands(window)},
            {QStringLiteral("pagesMenu"), MenuText::tr("Pa&ges"), pageCommands(window)},
            {QStringLiteral("headMenu"), MenuText::tr("Hea&d"), headCommands(window)},
            {QStringLiteral("analyseMenu"), MenuText::tr("&Analyse"), analysisCommands(window)},
            {QStringLiteral("helpMenu"), MenuText::tr("&Help"), helpCommands(window)}};
}

} // namespace headscope::ui
