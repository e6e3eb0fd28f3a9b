#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/views/attribution/attribution_dialog.h"
#include "ui/views/pages/page_area.h"
#include "ui/views/pattern/pattern_view.h"
#include "ui/views/pruning/pruning_window.h"
#include "ui/views/window/messages.h"
#include "ui/views/window/side_panels.h"

#include <QClipboard>
#include <QFile>
#include <QPushButton>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QUndoStack>

namespace test_pages {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

class TestPages : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l"))); }
    void cleanup() {
        pages().setWindows(false);
        panels().show(true);
        while (pages().size() > 1) {
            act("actionNextPage");
            act("actionClosePage");
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        }
        (*window_)->resize(1280, 800);
        QVERIFY(QTest::qWaitForWindowActive(&**window_));
        window_->document().selection().select({4, 1});
    }
    void cleanupTestCase() { window_.close(); }

    void patternsAloneHaveNoTab() {
        QVERIFY(!group("pages")->tabBar()->isVisible());
        QVERIFY(!group("pagesBeside")->isVisible());
        QVERIFY(!find<QAction>("actionNextPage")->isEnabled());
        QVERIFY(!find<QAction>("actionClosePage")->isEnabled());
        QVERIFY(find<QAction>("actionNextPage")->toolTip().contains(QStringLiteral("Analyse")));
    }

    /// It stands before the patterns and follows the grid.
    void anAnalysisOpensInTheWindow() {
        AttributionDialog* analysis = openAttribution();
        QVERIFY(!analysis->isWindow());
        QVERIFY(analysis->isVisible());
        QVERIFY(!patterns().isVisible());
        QVERIFY(analysis->isAncestorOf(QApplication::focusWidget()) ||
                analysis == QApplication::focusWidget());
        QCOMPARE(group("pages")->tabBar()->tabText(1), analysis->windowTitle());
        const auto* parts = analysis->findChild<QWidget*>(QStringLiteral("attributionParts"));
        const auto* rows = parts->findChild<QTableView*>()->model();
        QTRY_VERIFY_WITH_TIMEOUT(rows->rowCount() > 0, kPatience);
        QCOMPARE(pages().current(), analysis);
    }

    /// On a small screen each page is seen whole, down to its last button.
    void aPageFillsItsRoom() {
        (*window_)->resize(1280, 720);
        for (const char* command :
             {"actionAllScores", "actionAttribution", "actionCircuits", "actionSimilarity",
              "actionExamples", "actionPromptSet", "actionPrune"}) {
            act(command);
            const QWidget* page = pages().current();
            const auto* frame = qobject_cast<QScrollArea*>(group("pages")->currentWidget());
            QVERIFY(page && frame);
            const auto text = [](QSize size) {
                return QStringLiteral("%1 × %2").arg(size.width()).arg(size.height());
            };
            QTRY_VERIFY2(page->size() == frame->viewport()->size(),
                         qPrintable(QString::fromLatin1(command) + QStringLiteral(": ") +
                                    text(page->size()) + QStringLiteral(" in ") +
                                    text(frame->viewport()->size())));
        }
    }

    void keysGoFromPageToPage() {
        openAttribution();
        act("actionAllScores");
        QCOMPARE(group("pages")->currentIndex(), 2);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageDown, Qt::ControlModifier);
        QVERIFY(patterns().isVisible());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_PageUp, Qt::ControlModifier);
        QCOMPARE(group("pages")->currentIndex(), 2);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_2, Qt::ControlModifier);
        QVERIFY(patterns().isVisible());
        QCOMPARE(patterns().page(), PatternPage::AllHeads);
        act("actionOneHead");
    }

    void escapeAndTheTabCloseAPage() {
        QPointer<AttributionDialog> analysis = openAttribution();
        QTest::keyClick(analysis, Qt::Key_Escape);
        QTRY_VERIFY(!analysis);
        QVERIFY(patterns().isVisible());
        QVERIFY(!group("pages")->tabBar()->isVisible());
        analysis = openAttribution();
        QWidget* close = group("pages")->tabBar()->tabButton(1, QTabBar::RightSide);
        QVERIFY(close);
        QCOMPARE(group("pages")->tabBar()->tabButton(0, QTabBar::RightSide)->width(), 0);
        QTest::mouseClick(close, Qt::LeftButton);
        QTRY_VERIFY(!analysis);
        QCOMPARE(pages().size(), std::size_t{1});
    }

    void aDeletedAnalysisTakesItsTabAlong() {
        delete openAttribution();
        group("pages")->currentWidget()->resize(500, 400); // before the area has heard of it
        QCOMPARE(pages().widths().least, 0);
        QVERIFY(QTest::qWaitFor([this] { return pages().size() == 1; }));
        QCOMPARE(group("pages")->count(), 1);
        QVERIFY(patterns().isVisible());
        QVERIFY(!group("pages")->tabBar()->isVisible());
        QVERIFY(pages().layoutText().isEmpty());
    }

    void twoPagesStandSideBySide() {
        (*window_)->resize(1900, 800);
        AttributionDialog* analysis = openAttribution();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_D,
                        Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(analysis->isVisible() && patterns().isVisible());
        QCOMPARE(pages().current(), analysis);
        const int left = group("pages")->width();
        const int right = group("pagesBeside")->width();
        QVERIFY2(std::abs(left - right) < left / 3,
                 qPrintable(QStringLiteral("%1 and %2").arg(left).arg(right)));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_D,
                        Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!group("pagesBeside")->isVisible());
    }

    /// The right panel gives way to an analysis, the heads to a wide one, and F9 asks for both.
    void panelsGiveWay() {
        (*window_)->resize(1280, 720);
        QVERIFY(panels().areShown());
        openAttribution();
        QVERIFY(!panels().areShown());
        QVERIFY((*window_)->headGrid().isVisible());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F9);
        QVERIFY(panels().areShown());
        act("actionNextPage");
        QVERIFY(panels().areShown());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F9);
        QVERIFY(!panels().areShown());
        act("actionNextPage");
        QVERIFY2(!panels().areShown(), "panels that were folded away come when they are asked for");
        panels().show(true);
        (*window_)->resize(2400, 900);
        act("actionNextPage");
        act("actionNextPage");
        QVERIFY(panels().areShown());
    }

    void analysesHaveWindowsOfTheirOwn() {
        AttributionDialog* analysis = openAttribution();
        const QSize as_page = analysis->size();
        act("actionPageWindows");
        QVERIFY(analysis->isWindow() && analysis->isVisible());
        QVERIFY(patterns().isVisible());
        QVERIFY(analysis->size() != as_page);
        QVERIFY((*window_)->frameGeometry().contains(analysis->geometry().center()));
        QVERIFY(analysis->pos() != QPoint(0, 0));
        act("actionAllScores");
        auto* scores = find<QDialog>("scoresDialog");
        QVERIFY(scores->isWindow() && scores->isVisible());
        act("actionPageWindows");
        QVERIFY(!analysis->isWindow() && !scores->isWindow());
        QCOMPARE(pages().size(), std::size_t{3});
    }

    /// While the focus is in a page, keys that the window knows, too, are the page's.
    void keysAreThoseOfThePage() {
        AttributionDialog* analysis = openAttribution();
        QTRY_VERIFY_WITH_TIMEOUT(
            analysis->findChild<QAction*>(QStringLiteral("copyCommand"))->isEnabled(), kPatience);
        const auto copied = [] {
            QApplication::clipboard()->clear();
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_C,
                            Qt::ControlModifier | Qt::ShiftModifier);
            return QApplication::clipboard()->text();
        };
        QVERIFY2(copied().contains(QStringLiteral(" attribute ")), qPrintable(copied()));
        (*window_)->headGrid().focusGrid();
        QVERIFY2(copied().contains(QStringLiteral(" attribute ")), "of the page in front");
        act("actionOneHead");
        QVERIFY2(!copied().contains(QStringLiteral(" attribute ")), qPrintable(copied()));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(!QApplication::clipboard()->pixmap().isNull());

        act("actionPrune");
        QUndoStack* steps = window_->document().ablation().undoStack();
        act("actionAblateHead");
        QVERIFY(steps->canUndo());
        QTest::keyClick(find<PruningWindow>("pruningWindow"), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(!steps->canUndo());
    }

    /// Ctrl+E writes what is in front.
    void exportIsThatOfThePageInFront() {
        const QString path = window_.settings().path(QStringLiteral("front.csv"));
        window_->dialogs.to_save = path;
        openAttribution();
        QTRY_VERIFY_WITH_TIMEOUT(find<QPushButton>("tableExport")->isEnabled(), kPatience);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kPatience);
        QFile written(path);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(written.readAll().contains("logit"));
        QVERIFY(!find<QDialog>("exportDialog"));

        act("actionPrune"); // which writes models, from buttons of its own
        act("actionExport");
        QCOMPARE((*window_)->messages().text(),
                 QStringLiteral("There is nothing to export on this page yet."));
        act("actionOneHead");
        act("actionExport");
        auto* dialog = find<QDialog>("exportDialog");
        QVERIFY(dialog->isVisible());
        dialog->reject();
    }

    /// A page that is closed and opened again is the one before.
    void theBenchKeepsWhatItHas() {
        act("actionPrune");
        auto* bench = find<PruningWindow>("pruningWindow");
        act("actionClosePage");
        QVERIFY(!bench->isVisible());
        act("actionPrune");
        QCOMPARE(find<PruningWindow>("pruningWindow"), bench);
        QVERIFY(bench->isVisible());
        QCOMPARE(pages().current(), bench);
    }

    /// Last, since it takes another window.
    void theNextSessionHasThemAgain() {
        openAttribution();
        act("actionPrune");
        act("actionPageAcross");
        panels().show(false);
        QCOMPARE(pages().layoutText(), (QStringList{QStringLiteral("actionAttribution"),
                                                    QStringLiteral("actionPrune +")}));
        window_->close();
        QVERIFY(window_.openAgain({}));
        QTRY_COMPARE(pages().layoutText(), (QStringList{QStringLiteral("actionAttribution"),
                                                        QStringLiteral("actionPrune +")}));
        QVERIFY(patterns().isVisible());
        QVERIFY(!panels().areShown());
    }

private:
    template <class T>
    T* find(const char* name) {
        return window_->find<T>(name);
    }
    void act(const char* command) { find<QAction>(command)->trigger(); }
    AttributionDialog* openAttribution() {
        act("actionAttribution");
        return find<AttributionDialog>("attributionDialog");
    }
    QTabWidget* group(const char* name) { return find<QTabWidget>(name); }
    PageArea& pages() { return (*window_)->pages(); }
    SidePanels& panels() { return (*window_)->sidePanels(); }
    PatternView& patterns() { return (*window_)->patternView(); }

    SharedWindow window_;
};

const headscope::test::TestRegistration<TestPages> registration;

} // namespace test_pages

#include "test_pages.moc"
