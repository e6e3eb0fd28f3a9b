#include "ui/views/window/main_menu.h"

#include "ui/document/document.h"
#include "ui/markup/markup.h"
#include "ui/tables/head_text.h"

#include <QAction>
#include <QActionGroup>
#include <QMenu>
#include <QMenuBar>
#include <QScopedValueRollback>

#include <algorithm>

namespace headscope::ui {

namespace {

/// What it does or why it cannot be given; empty where its text says enough.
const QString& tipOf(const Command& command, const QString& refusal) {
    return refusal.isEmpty() ? command.tip : refusal;
}

} // namespace

MainMenu::MainMenu(QMenuBar* bar, const QList<CommandMenu>& menus, Document& document)
    : QObject(bar), document_(document) {
    for (const CommandMenu& menu : menus) {
        QMenu* made = bar->addMenu(menu.title);
        made->setObjectName(menu.id);
        made->setToolTipsVisible(true);
        fill(made, menu.commands);
        connect(made, &QMenu::aboutToShow, this, &MainMenu::refresh);
    }
    connect(&document_, &Document::modelChanged, this, &MainMenu::refresh);
    connect(&document_, &Document::labelsChanged, this, &MainMenu::refillSubmenus);
    connect(&document_.selection(), &Selection::chosenChanged, this, &MainMenu::refresh);
    connect(&document_.ablation(), &Ablation::changed, this, &MainMenu::refresh);
    connect(&document_.promptRunner(), &PromptRunner::resultChanged, this, &MainMenu::refresh);
    connect(&document_.labelTester(), &LabelTester::trustChanged, this, &MainMenu::refresh);
    connect(document_.ablation().undoStack(), &QUndoStack::indexChanged, this, &MainMenu::refresh);
    refresh();
}

void MainMenu::fill(QMenu* menu, const QList<Command>& commands) {
    QActionGroup* choices = nullptr;
    for (const Command& command : commands) {
        if (command.opens_section)
            menu->addSeparator();
        if (command.opens_section || !choices)
            choices = new QActionGroup(menu);
        if (command.submenu)
            addSubmenu(menu, command);
        else
            addEntry(menu, command, choices);
    }
}

void MainMenu::addEntry(QMenu* menu, const Command& command, QActionGroup* choices) {
    QAction* action = menu->addAction(command.text);
    action->setObjectName(command.id);
    action->setShortcuts(command.keys);
    action->setCheckable(bool(command.checked));
    if (command.is_choice)
        choices->addAction(action);
    connect(action, &QAction::triggered, this, [this, act = command.act] {
        {
            const QScopedValueRollback acting(is_acting_, true);
            act();
        }
        refresh();
    });
    entries_.append({action, menu, command});
}

void MainMenu::addSubmenu(QMenu* menu, const Command& command) {
    QMenu* made = menu->addMenu(command.text);
    made->setObjectName(command.id);
    made->setToolTipsVisible(true);
    submenus_.append({made, command.submenu});
    connect(made, &QMenu::aboutToShow, this, [this, submenu = submenus_.last()] {
        refill(submenu);
        refresh();
    });
    refill(submenus_.last());
}

void MainMenu::refill(const Submenu& submenu) {
    entries_.removeIf([&](const Entry& entry) { return entry.menu == submenu.menu; });
    submenu.menu->clear();
    fill(submenu.menu, submenu.commands());
    submenu.menu->setEnabled(!submenu.menu->isEmpty());
}

void MainMenu::refillSubmenus() {
    for (const Submenu& submenu : submenus_)
        refill(submenu);
    refresh();
}

void MainMenu::refresh() {
    if (is_acting_) // and asks all of them when it is done
        return;
    for (const Entry& entry : entries_) {
        const Command& command = entry.command;
        const QString refusal = refusalOf(command, document_);
        entry.action->setEnabled(refusal.isEmpty());
        entry.action->setToolTip(asTip(tipOf(command, refusal)));
        if (command.checked)
            entry.action->setChecked(command.checked());
        if (command.caption)
            entry.action->setText(command.caption());
    }
}

QAction* MainMenu::action(const QString& id) const {
    const auto found = std::ranges::find(
        entries_, id, [](const Entry& entry) { return entry.action->objectName(); });
    return found == entries_.end() ? nullptr : found->action;
}

QAction* MainMenu::page(const QString& id) const {
    const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
        return entry.command.opens_page && entry.command.id == id;
    });
    return found == entries_.end() ? nullptr : found->action;
}

} // namespace headscope::ui
