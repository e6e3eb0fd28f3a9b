#pragma once

#include <QKeySequence>
#include <QList>
#include <QString>

#include <functional>

namespace headscope::ui {

class Document;

/// What must be there before a command can be given.
enum class Needs {
    Nothing,
    Model,
    Run, ///< of the prompt
    SharedKvHeads,
    SquareMatrices,
    AblatedHeads,
    Comparison,
    UndoStep,
    RedoStep
};

/// One command of the window. Menus, command palette, help page and the key table of the README are
/// made from these.
struct Command {
    QString id;            ///< object name of its QAction
    QString text;          ///< with the mnemonic that the menu shows
    QString keywords = {}; ///< other words by which the palette finds it
    QString tip = {};
    QList<QKeySequence> keys = {}; ///< the first one is shown in the menu
    Needs needs = Needs::Nothing;
    std::function<void()> act = {}; ///< none: it cannot be given
    /// Whether it is on; none: it is neither on nor off.
    std::function<bool()> checked = {};
    /// It opens an analysis as a page: all that a project or the last session may ask for.
    bool opens_page = false;
    bool is_choice = false;     ///< one of its neighbours in the same section is on
    bool opens_section = false; ///< a line is above it
    /// The present text; none: `text`.
    std::function<QString()> caption = {};
    /// Opens these in a menu of its own; what it offers may change from one time to the next.
    std::function<QList<Command>()> submenu = {};
    /// Why it cannot be given now beside what it needs; empty or none: it can.
    std::function<QString()> refusal = {};
};

/// A menu of the menu bar.
struct CommandMenu {
    QString id;
    QString title;
    QList<Command> commands;
};

/// Why it cannot be given now, in one sentence; empty: it can.
QString refusalOf(const Command& command, Document& document);

/// Every command of the menus, with those of submenus.
QList<Command> allCommands(const QList<CommandMenu>& menus);

/// "Ablate Head", without mnemonic and dots.
QString plainText(const QString& text);

} // namespace headscope::ui
