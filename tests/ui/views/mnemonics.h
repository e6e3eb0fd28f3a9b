#pragma once

#include "ui/views/main_window.h"

#include <QAbstractButton>
#include <QAction>
#include <QKeySequence>
#include <QLabel>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QStringList>

namespace headscope::ui::test {

/// "Alt+F" for "&File"; empty without a mnemonic.
inline QString mnemonicOf(const QString& text) {
    return QKeySequence::mnemonic(text).toString();
}

/// What of these texts takes a mnemonic that one before it has.
inline QStringList clashesOf(const QStringList& texts) {
    QMap<QString, QString> owners;
    QStringList clashes;
    for (const QString& text : texts) {
        const QString key = mnemonicOf(text);
        if (key.isEmpty())
            continue;
        if (owners.contains(key))
            clashes << QStringLiteral("%1: “%2” and “%3”").arg(key, owners[key], text);
        owners.insert(key, text);
    }
    return clashes;
}

inline QStringList textsOf(const QList<QAction*>& actions) {
    QStringList texts;
    for (const QAction* action : actions)
        texts << action->text();
    return texts;
}

inline QList<QMenu*> menusOf(const MainWindow& window) {
    return window.menuBar()->findChildren<QMenu*>();
}

inline QStringList clashesInMenus(const MainWindow& window) {
    QStringList clashes;
    for (const QMenu* menu : menusOf(window))
        clashes << clashesOf(textsOf(menu->actions()));
    return clashes;
}

/// Menus, labels and buttons share the keys of the window, whether they are seen at the moment or
/// not.
inline QStringList clashesInWindow(const MainWindow& window) {
    QStringList texts = textsOf(window.menuBar()->actions());
    for (const QLabel* label : window.centralWidget()->findChildren<QLabel*>())
        if (label->buddy())
            texts << label->text();
    for (const QAbstractButton* button : window.centralWidget()->findChildren<QAbstractButton*>())
        texts << button->text();
    return clashesOf(texts);
}

} // namespace headscope::ui::test
