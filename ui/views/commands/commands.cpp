#include "ui/views/commands/commands.h"

#include "ui/document/document.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

namespace headscope::ui {

namespace {

struct CommandText {
    Q_DECLARE_TR_FUNCTIONS(CommandText)
};

void collect(const QList<Command>& commands, QList<Command>& all) {
    for (const Command& command : commands) {
        if (command.submenu)
            collect(command.submenu(), all);
        else
            all.append(command);
    }
}

QList<KeyRow> keysOfViews() {
    return {
        {{QStringLiteral("Left"), QStringLiteral("Right"), QStringLiteral("Up"),
          QStringLiteral("Down")},
         CommandText::tr("Select another head or layer, in the grid and in the pattern; another "
                         "token in text and lines")},
        {{QStringLiteral("Shift+Left"), QStringLiteral("Shift+Right"), QStringLiteral("Shift+Up"),
          QStringLiteral("Shift+Down")},
         CommandText::tr("Choose more heads in the grid")},
        {{QStringLiteral("+"), QStringLiteral("-"), QStringLiteral("0")},
         CommandText::tr("Zoom the pattern in, out, and back to all of it")},
        {{QStringLiteral("Shift+Up"), QStringLiteral("Shift+Down")},
         CommandText::tr("Move the locked row of the pattern")},
        {{QStringLiteral("Ctrl+Space")},
         CommandText::tr("Let a token of B stand for the locked one of A")},
        {{QStringLiteral("Esc")}, CommandText::tr("Unlock the row")}};
}

} // namespace

QList<CommandMenu> windowCommands(MainWindow& window) {
    return {{QStringLiteral("fileMenu"), CommandText::tr("&File"), fileCommands(window)},
            {QStringLiteral("editMenu"), CommandText::tr("&Edit"), editCommands(window)},
            {QStringLiteral("viewMenu"), CommandText::tr("&View"), viewCommands(window)},
            {QStringLiteral("pagesMenu"), CommandText::tr("Pa&ges"), pageCommands(window)},
            {QStringLiteral("headMenu"), CommandText::tr("Hea&d"), headCommands(window)},
            {QStringLiteral("analyseMenu"), CommandText::tr("&Analyse"), analysisCommands(window)},
            {QStringLiteral("helpMenu"), CommandText::tr("&Help"), helpCommands(window)}};
}

QString refusalOf(const Command& command, Document& document) {
    if (const QString own = command.refusal ? command.refusal() : QString(); !own.isEmpty())
        return own;
    const auto model = document.model();
    switch (command.needs) {
    case Needs::Nothing:
        return command.act ? QString() : CommandText::tr("It is not there any more.");
    case Needs::Model:
        return model ? QString() : CommandText::tr("Open a model first.");
    case Needs::Run:
        return document.promptRunner().result() ? QString()
                                                : CommandText::tr("Run a prompt first.");
    case Needs::SharedKvHeads:
        return model && model->spec.n_kv_heads < model->spec.n_heads
                   ? QString()
                   : CommandText::tr("No heads of this model share keys and values.");
    case Needs::SquareMatrices:
        return model && model->report.square_matrices > 0
                   ? QString()
                   : CommandText::tr("No matrix of this model is square.");
    case Needs::AblatedHeads:
        return !document.ablation().mask().empty() ? QString()
                                                   : CommandText::tr("Ablate a head first.");
    case Needs::Comparison:
        return document.comparison().isOn()
                   ? QString()
                   : CommandText::tr("Write a second prompt below the first (Ctrl+Shift+B).");
    case Needs::UndoStep:
        return document.ablation().undoStack()->canUndo()
                   ? QString()
                   : CommandText::tr("There is nothing to undo.");
    case Needs::RedoStep:
        break;
    }
    return document.ablation().undoStack()->canRedo()
               ? QString()
               : CommandText::tr("There is nothing to do again.");
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

QList<KeyRow> keyTable(const QList<CommandMenu>& menus) {
    QList<KeyRow> rows;
    for (const Command& command : allCommands(menus)) {
        if (command.keys.isEmpty())
            continue;
        QStringList names;
        for (const QKeySequence& key : command.keys)
            names << key.toString(QKeySequence::PortableText);
        rows.append({names, plainText(command.text)});
    }
    return rows + keysOfViews();
}

QList<QKeySequence> keys(std::initializer_list<const char*> names) {
    QList<QKeySequence> sequences;
    for (const char* name : names)
        sequences << QKeySequence(QString::fromLatin1(name), QKeySequence::PortableText);
    return sequences;
}

} // namespace headscope::ui
