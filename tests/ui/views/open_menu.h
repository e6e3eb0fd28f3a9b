#pragma once

#include <QAction>
#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTimer>
#include <QWidget>

#include <algorithm>

namespace headscope::ui::test {

/// Opens the context menu of a widget and gives the command of this name in it. Returns how many
/// commands it has; 0: no menu came.
inline qsizetype chooseInMenu(QWidget& widget, QPoint at, const char* name) {
    qsizetype commands = 0;
    QTimer::singleShot(0, &widget, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu)
            return;
        const QList<QAction*> actions = menu->actions();
        commands = std::ranges::count(actions, false, &QAction::isSeparator);
        const auto chosen = std::ranges::find(actions, QLatin1String(name), &QAction::objectName);
        if (chosen != actions.end())
            (*chosen)->trigger();
        menu->close();
    });
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
    QApplication::sendEvent(&widget, &event);
    return commands;
}

} // namespace headscope::ui::test
