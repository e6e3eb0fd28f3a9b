#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/commands/command_palette.h"
#include "ui/views/model/model_dialog.h"

#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>

namespace test_command_palette {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// The list of the palette after this was typed into it.
QListWidget* searched(WindowUnderTest& window, const QString& typed) {
    window.find<QAction>("actionPalette")->trigger();
    auto* palette = window.find<CommandPalette>("commandPalette");
    palette->findChild<QLineEdit*>(QStringLiteral("paletteSearch"))->setText(typed);
    return palette->findChild<QListWidget*>(QStringLiteral("paletteList"));
}

} // namespace

class TestCommandPalette : public QObject {
    Q_OBJECT

private slots:
    void typedWordsFindACommand() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        QTest::keyClick(&*window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = window.find<CommandPalette>("commandPalette");
        QVERIFY(palette && palette->isVisible());
        auto* search = palette->findChild<QLineEdit*>(QStringLiteral("paletteSearch"));
        QTest::keyClicks(search, QStringLiteral("card model"));
        QTest::keyClick(search, Qt::Key_Return);
        QVERIFY(!palette->isVisible());
        QVERIFY(window.find<ModelDialog>("modelDialog"));
    }

    void theFieldsWordsFindCommands_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("found");
        QTest::newRow("ablate") << "ablate"
                                << "Ablate Head";
        QTest::newRow("attribution") << "attribution"
                                     << "Direct Logit Attribution and Logit Lens";
        QTest::newRow("similarity") << "similarity"
                                    << "Head Similarity";
        QTest::newRow("OV") << "OV"
                            << "OV/QK Circuits";
        QTest::newRow("an older name") << "does it matter"
                                       << "Effect of Ablating This Head";
    }
    void theFieldsWordsFindCommands() {
        QFETCH(QString, typed);
        QFETCH(QString, found);
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto list = searched(window, typed);
        QVERIFY2(list->currentItem()->text().startsWith(found),
                 qPrintable(list->currentItem()->text()));
    }

    void saysThatNothingMatches() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        const auto* list = searched(window, QStringLiteral("xyzzy"));
        const auto* none = window.find<QLabel>("paletteNone");
        QVERIFY(!list->isVisible() && none->isVisible());
        QCOMPARE(none->text(), QStringLiteral("No command matches “xyzzy”."));
        QTest::keyClick(window.find<QLineEdit>("paletteSearch"), Qt::Key_Return); // does nothing
        window.find<QLineEdit>("paletteSearch")->setText(QStringLiteral("zoom"));
        QVERIFY(list->isVisible() && !none->isVisible());
    }

    void saysWhyACommandCannotBeGiven() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        auto* list = searched(window, QStringLiteral("patch"));
        QVERIFY(list->isVisible());
        QVERIFY(!list->currentItem());
        const auto found = list->findItems(QStringLiteral("Patch"), Qt::MatchStartsWith);
        QCOMPARE(found.size(), 1);
        QVERIFY(!found.first()->isHidden());
        QVERIFY2(found.first()->text().endsWith(QStringLiteral("(Ctrl+Shift+B).")),
                 qPrintable(found.first()->text()));
        auto* search = window.find<QLineEdit>("paletteSearch");
        QTest::keyClick(search, Qt::Key_Return); // does nothing
        search->clear();                         // without a question only what can be given
        QVERIFY(found.first()->isHidden());
        QVERIFY2(window.find<QAction>("actionPatch")
                     ->toolTip()
                     .contains(QStringLiteral("second prompt")),
                 qPrintable(window.find<QAction>("actionPatch")->toolTip()));
    }

    /// And prefers the command to the step that undoes it, whose name has the same word.
    void showsWhatIsOn() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.document().ablation().toggleHead(window.document().selection().head());
        const auto* list = searched(window, QStringLiteral("ablate"));
        QCOMPARE(list->currentItem()->text(), QStringLiteral("✓ Ablate Head    Del"));
    }

    void controlsAreReachableAndNamed() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window.find<QCheckBox>("editThresholds")->setChecked(true);
        for (const char* name :
             {"promptEdit", "tokenStrip", "bosButton", "scoreSource", "gridScore", "headGrid",
              "heatmap", "colourMap", "firstKey", "allTypes", "editThresholds", "bar_sink",
              "ablationKind", "ablateHead"}) {
            auto* widget = window.find<QWidget>(name);
            QVERIFY2(widget, name);
            QVERIFY2(widget->focusPolicy() & Qt::TabFocus, name);
            const bool named = !widget->accessibleName().isEmpty() ||
                               !widget->property("text").toString().isEmpty();
            QVERIFY2(named, name);
        }
    }
};

const headscope::test::TestRegistration<TestCommandPalette> registration;

} // namespace test_command_palette

#include "test_command_palette.moc"
