#include "ui/views/commands/commands.h"

#include <QCoreApplication>
#include <QStringList>

namespace headscope::ui {

namespace {

struct CommandText {
    Q_DECLARE_TR_FUNCTIONS(CommandText)
};

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
