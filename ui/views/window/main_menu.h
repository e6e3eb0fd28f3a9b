#pragma once

#include "ui/views/window/command.h"

#include <QList>
#include <QObject>

class QAction;
class QActionGroup;
class QMenu;
class QMenuBar;

namespace headscope::ui {

/// The menus of the window, made from its commands. An entry is enabled while its command is
/// available and ticked while its command is on.
class MainMenu : public QObject {
    Q_OBJECT

public:
    MainMenu(QMenuBar* bar, const QList<CommandMenu>& menus, Document& document);

    /// Asks every command again whether it is available and on, and for its caption.
    void refresh();
    /// Makes the submenus again from what they offer now.
    void refillSubmenus();
    /// Null for a command that is not in the menus.
    QAction* action(const QString& id) const;
    /// The same of a command that opens a page; null for every other.
    QAction* page(const QString& id) const;

private:
    struct Entry {
        QAction* action = nullptr;
        QMenu* menu = nullptr;
        Command command;
    };
    struct Submenu {
        QMenu* menu = nullptr;
        std::function<QList<Command>()> commands;
    };

    void fill(QMenu* menu, const QList<Command>& commands);
    void refill(const Submenu& submenu);
    void addSubmenu(QMenu* menu, const Command& command);
    void addEntry(QMenu* menu, const Command& command, QActionGroup* choices);

    Document& document_;
    QList<Entry> entries_;
    QList<Submenu> submenus_;
    bool is_acting_ = false; ///< a command of the menus is at work
};

} // namespace headscope::ui
