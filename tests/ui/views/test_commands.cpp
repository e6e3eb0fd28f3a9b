#include "tests/support/runner.h"
#include "tests/ui/views/mnemonics.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/commands/commands.h"
#include "ui/views/pattern/pattern_view.h"

#include <QAction>
#include <QFile>
#include <QMenuBar>
#include <QToolButton>

namespace test_commands {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// The key table as it stands in the README.
QString markdownTable(const QList<KeyRow>& rows) {
    QString table = QStringLiteral("| key | does |\n|---|---|\n");
    for (const KeyRow& row : rows) {
        QStringList keys;
        for (const QString& key : row.keys)
            keys << QStringLiteral("`%1`").arg(key);
        table += QStringLiteral("| %1 | %2 |\n").arg(keys.join(QStringLiteral(", ")), row.what);
    }
    return table;
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

    void readmeListsTheKeys() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QFile file(QStringLiteral(HEADSCOPE_SAMPLE_MODELS "/../README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString readme = QString::fromUtf8(file.readAll());
        const QString table = markdownTable(keyTable(windowCommands(*window)));
        QVERIFY2(readme.contains(table),
                 qPrintable(QStringLiteral("README.md should have this table:\n") + table));
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
