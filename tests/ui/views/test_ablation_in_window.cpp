#include "core/engine/engine.h"
#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/ablation/ablation_text.h"
#include "ui/views/prompt/prompt_bar.h"
#include "ui/widgets/head_mosaic.h"

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>

namespace test_ablation_in_window {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestAblationInWindow : public QObject {
    Q_OBJECT

private slots:
    void deleteSwitchesAHeadOffAndUndoBringsItBack() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        document.selection().select({4, 1});
        auto* grid = window.find<HeadMosaic>("headGrid");
        auto* loss = window.find<QLabel>("lossLabel");
        const QString before = loss->text();
        QVERIFY(before.contains(QStringLiteral("no head ablated")));
        grid->setFocus();

        QTest::keyClick(grid, Qt::Key_Delete);
        QVERIFY(document.ablation().mask().isAblated({4, 1}));
        QVERIFY(grid->cell(4, 1).ablated);
        QVERIFY(window.settled());
        const auto result = document.promptRunner().result();
        QVERIFY(result->masked_loss != result->full_loss);
        const QString expected =
            QStringLiteral("Loss %1 → %2 (")
                .arg(lossNumber(*result->full_loss), lossNumber(*result->masked_loss));
        QVERIFY2(loss->text().startsWith(expected), qPrintable(loss->text()));
        QVERIFY2(loss->text().endsWith(QStringLiteral("1 head ablated)")),
                 qPrintable(loss->text()));
        // What is after the head sees the change, what is before it does not.
        QVERIFY(result->masked->weight({5, 6}, 14, 3) != result->full->weight({5, 6}, 14, 3));
        QCOMPARE(result->masked->weight({3, 5}, 14, 3), result->full->weight({3, 5}, 14, 3));

        QTest::keyClick(grid, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(document.ablation().mask().empty());
        QVERIFY(window.settled());
        QCOMPARE(loss->text(), before);
        QTest::keyClick(grid, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(document.ablation().mask().isAblated({4, 1}));
    }

    void deleteInThePromptDeletesText() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("microgpt")));
        window->promptBar().focusPrompt();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Delete);
        QVERIFY(window.document().ablation().mask().empty());
        QVERIFY(window.document().promptText().isEmpty());
    }

    void panelSwitchesListsAndClears() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("gpt2-mini-6l")));
        Document& document = window.document();
        document.selection().select({3, 5});
        auto* toggle = window.find<QPushButton>("ablateHead");
        QCOMPARE(toggle->text(), QStringLiteral("Ablate L3 H5"));
        QTest::mouseClick(toggle, Qt::LeftButton);
        QCOMPARE(toggle->text(), QStringLiteral("Restore L3 H5"));
        auto* kind = window.find<QComboBox>("ablationKind");
        kind->setFocus();
        QTest::keyClick(kind, Qt::Key_Down);
        QCOMPARE(document.ablation().mask().heads().at({3, 5}), AblationKind::Mean);
        auto* list = window.find<QListWidget>("ablatedHeads");
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), QStringLiteral("L3 H5 ablated by mean"));
        QTest::mouseClick(window.find<QPushButton>("restoreHeads"), Qt::LeftButton);
        QVERIFY(document.ablation().mask().empty());
        QVERIFY(!list->isVisible());
    }

    void aKvGroupGoesOffTogether() {
        const TemporarySettings settings;
        WindowUnderTest window;
        QVERIFY(window.start(QStringLiteral("llama-mini-gqa-4l")));
        window.document().selection().select({1, 6});
        auto* grid = window.find<HeadMosaic>("headGrid");
        grid->setFocus();
        QTest::keyClick(grid, Qt::Key_Delete, Qt::ShiftModifier);
        QCOMPARE(window.document().ablation().mask().text(), std::string("1.4 1.5 1.6 1.7"));
    }
};

const headscope::test::TestRegistration<TestAblationInWindow> registration;

} // namespace test_ablation_in_window

#include "test_ablation_in_window.moc"
