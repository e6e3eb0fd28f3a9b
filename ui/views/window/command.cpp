#include "ui/views/window/command.h"

#include "ui/document/document.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace headscope::ui {

namespace {

struct RefusalText {
    Q_DECLARE_TR_FUNCTIONS(RefusalText)
};

void collect(const QList<Command>& commands, QList<Command>& all) {
    for (const Command& command : commands) {
        if (command.submenu)
            collect(command.submenu(), all);
        else
            all.append(command);
    }
}

} // namespace

QString refusalOf(const Command& command, Document& document) {
    if (const QString own = command.refusal ? command.refusal() : QString(); !own.isEmpty())
        return own;
    const auto model = document.model();
    switch (command.needs) {
    case Needs::Nothing:
        return command.act ? QString() : RefusalText::tr("It is not there any more.");
    case Needs::Model:
        return model ? QString() : RefusalText::tr("Open a model first.");
    case Needs::Run:
        return document.promptRunner().result() ? QString()
                                                : RefusalText::tr("Run a prompt first.");
    case Needs::SharedKvHeads:
        return model && model->spec.n_kv_heads < model->spec.n_heads
                   ? QString()
                   : RefusalText::tr("No heads of this model share keys and values.");
    case Needs::SquareMatrices:
        return model && model->report.square_matrices > 0
                   ? QString()
                   : RefusalText::tr("No matrix of this model is square.");
    case Needs::AblatedHeads:
        return !document.ablation().mask().empty() ? QString()
                                                   : RefusalText::tr("Ablate a head first.");
    case Needs::Comparison:
        return document.comparison().isOn()
                   ? QString()
                   : RefusalText::tr("Write a second prompt below the first (Ctrl+Shift+B).");
    case Needs::UndoStep:
        return document.ablation().undoStack()->canUndo()
                   ? QString()
                   : RefusalText::tr("There is nothing to undo.");
    case Needs::RedoStep:
        break;
    }
    return document.ablation().undoStack()->canRedo()
               ? QString()
               : RefusalText::tr("There is nothing to do again.");
}

QList<Command> allCommands(const QList<CommandMenu>& menus) {
    QList<Command> all;
    for (const CommandMenu& menu : menus)
        collect(menu.commands, all);
    return all;
}

QString plainText(const QString& text) {
    static const QRegularExpression mnemonic(QStringLiteral("&(.)"));
    QString plain = text;
    plain.replace(mnemonic, QStringLiteral("\\1"));
    return plain.remove(QStringLiteral(" …"));
}

} // namespace headscope::ui
