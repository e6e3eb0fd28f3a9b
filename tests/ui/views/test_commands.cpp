#include "tests/support/runner.h"
#include "tests/ui/views/mnemonics.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/commands/commands.h"
#include "ui/views/commands/tour.h"
#include "ui/views/pattern/pattern_view.h"

#include <QAction>
#include <QFile>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTextBrowser>
#include <QToolButton>

#include <algorithm>

namespace test_commands {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// The page that F1 opens, as text.
QString helpPage(WindowUnderTest& window) {
    window.find<QAction>("actionHelp")->trigger();
    return window.find<QTextBrowser>("helpText")->toPlainText();
}

/// What a text names as keys: `F1`, `Ctrl+L`.
QSet<QString> keysNamedIn(const QString& text) {
    static const QRegularExpression key(QStringLiteral("`((?:Ctrl|Shift|Alt)\\+[^`]+|Del|F\\d+)`"));
    QSet<QString> keys;
    for (const QRegularExpressionMatch& match : key.globalMatch(text))
        keys.insert(match.captured(1));
    return keys;
}

} // namespace

class TestCommands : public QObject {
    Q_OBJECT

private slots:
    void noMenuHasAMnemonicTwice() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QVERIFY(menusOf(*window).size() >= 9);
        const QStringList clashes = clashesInMenus(*window);
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QStringLiteral("; "))));
    }

    void noMnemonicOfTheWindowIsTakenTwice() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QCOMPARE(mnemonicOf(window->menuBar()->actions().last()->text()), QStringLiteral("Alt+H"));
        const QStringList clashes = clashesInWindow(*window);
        QVERIFY2(clashes.isEmpty(), qPrintable(clashes.join(QStringLiteral("; "))));
    }

    void everyCommandIsInAMenuUnderItsNameAndNoKeyIsTakenTwice() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QSet<QKeySequence> taken;
        for (const Command& command : allCommands(windowCommands(*window))) {
            const auto* action = window.find<QAction>(qPrintable(command.id));
            QVERIFY2(action, qPrintable(command.id));
            QCOMPARE(action->shortcuts(), command.keys);
            QCOMPARE(action->isCheckable(), bool(command.checked));
            for (const QKeySequence& key : command.keys) {
                QVERIFY2(!taken.contains(key), qPrintable(key.toString()));
                taken.insert(key);
            }
        }
        QVERIFY(taken.size() > 20);
    }

    void helpListsEveryKey() {
        const TemporarySettings settings;
        WindowUnderTest window;
        const QString help = helpPage(window);
        const QList<KeyRow> rows = keyTable(windowCommands(*window));
        QVERIFY(rows.size() > 40);
        for (const KeyRow& row : rows) {
            QVERIFY2(help.contains(row.what), qPrintable(row.what));
            for (const QString& key : row.keys) {
                const QKeySequence sequence(key, QKeySequence::PortableText);
                QVERIFY2(help.contains(sequence.toString(QKeySequence::NativeText)),
                         qPrintable(key));
            }
        }
    }

    void tourNamesCommandsOfTheWindow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        const QString help = helpPage(window);
        const QList<Command> commands = allCommands(windowCommands(*window));
        QVERIFY(!tourStops().isEmpty());
        for (const TourStop& stop : tourStops()) {
            const auto command = std::ranges::find(commands, stop.command, &Command::id);
            QVERIFY2(command != commands.end(), qPrintable(stop.command));
            QVERIFY2(help.contains(plainText(command->text)), qPrintable(command->text));
            QVERIFY2(help.contains(stop.text), qPrintable(stop.text));
        }
    }

    /// Of each key that the README names, that it exists; the help page has them all.
    void readmeNamesKeysOfTheWindow() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QSet<QString> known;
        for (const KeyRow& row : keyTable(windowCommands(*window)))
            known.unite(QSet<QString>(row.keys.begin(), row.keys.end()));
        QFile file(QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/../README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QSet<QString> named = keysNamedIn(QString::fromUtf8(file.readAll()));
        QVERIFY(named.contains(QStringLiteral("F1")) && named.size() > 5);
        const QSet<QString> unknown = named - known;
        QVERIFY2(unknown.isEmpty(), qPrintable(unknown.values().join(QStringLiteral(", "))));
    }

    void entriesShowWhatIsOn() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        const auto is_on = [&](const char* name) {
            return window.find<QAction>(name)->isChecked();
        };

        QVERIFY(!is_on("actionAblateHead"));
        window.document().ablation().toggleHead(window.document().selection().head());
        QVERIFY(is_on("actionAblateHead"));
        window.document().selection().move(0, 1);
        QVERIFY(!is_on("actionAblateHead"));

        QVERIFY(is_on("actionOneHead") && !is_on("actionAllHeads"));
        window.find<QToolButton>("allHeadsButton")->click();
        QVERIFY(!is_on("actionOneHead") && is_on("actionAllHeads"));
        window.find<QAction>("actionOneHead")->trigger();
        QVERIFY(is_on("actionOneHead") && !is_on("actionAllHeads"));
        window.find<QAction>("actionOneHead")->trigger(); // a choice cannot be taken back
        QVERIFY(is_on("actionOneHead"));

        PatternSettings shown = window->patternView().settings();
        shown.own_scale = true;
        window->patternView().setSettings(shown);
        QVERIFY(is_on("actionOwnScale"));
        window.find<QAction>("actionValueWeighted")->trigger();
        QVERIFY(is_on("actionValueWeighted"));
        window.find<QAction>("actionOutline")->trigger();
        QVERIFY(is_on("actionOutline"));
        window.find<QAction>("actionOutline")->trigger();
        QVERIFY(!is_on("actionOutline"));

        QVERIFY(is_on("actionRandomScores") && !is_on("actionPromptScores"));
        chooseByKeys(window.find<QComboBox>("scoreSource"), QStringLiteral("this prompt"));
        QTRY_VERIFY(!is_on("actionRandomScores") && is_on("actionPromptScores"));
    }

    void typesOfAPromptSetAreAChoiceOnceItHasRun() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        auto* of_set = window.find<QAction>("actionPromptSetScores");
        QVERIFY(!of_set->isEnabled());
        QVERIFY2(of_set->toolTip().startsWith(QStringLiteral("No prompt set has been run")),
                 qPrintable(of_set->toolTip()));
        const auto scores = window.document().headScorer().scores();
        window.document().headScorer().setPromptSetScores(scores);
        QVERIFY(of_set->isEnabled() && !of_set->isChecked());
        of_set->trigger();
        QVERIFY(of_set->isChecked() && !window.find<QAction>("actionRandomScores")->isChecked());
        QCOMPARE(window.find<QComboBox>("scoreSource")->currentText(),
                 QStringLiteral("prompt set"));
        window.document().headScorer().setPromptSetScores(nullptr);
        QVERIFY(!of_set->isEnabled() && !of_set->isChecked());
        QVERIFY(window.find<QAction>("actionRandomScores")->isChecked());
    }

    void aGroupIsTickedWhenAllOfItIsAblated() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        window.document().selection().select({2, 5});
        auto* group = window.find<QAction>("actionAblateGroup");
        QVERIFY(group->isEnabled() && !group->isChecked());
        window.document().ablation().toggleHead({2, 5});
        QVERIFY(!group->isChecked());
        group->trigger();
        QVERIFY(group->isChecked());
        QCOMPARE(window.document().ablation().mask().size(), std::size_t{4});
        group->trigger();
        QVERIFY(!group->isChecked());
        QVERIFY(window.document().ablation().mask().empty());
    }

    void undoSaysWhat() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* undo = window.find<QAction>("actionUndo");
        QVERIFY(!undo->isEnabled());
        window.document().ablation().toggleHead({0, 2});
        QVERIFY(undo->isEnabled());
        QCOMPARE(undo->text(), QStringLiteral("&Undo ablate L0 H2"));
        QVERIFY(window.find<QAction>("actionRestoreHeads")->isEnabled());
        undo->trigger();
        QVERIFY(window.document().ablation().mask().empty());
        QVERIFY(!window.find<QAction>("actionRestoreHeads")->isEnabled());
    }
};

const headscope::test::TestRegistration<TestCommands> registration;

} // namespace test_commands

#include "test_commands.moc"
