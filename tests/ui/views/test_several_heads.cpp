#include "tests/support/runner.h"
#include "tests/ui/views/window_under_test.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/head_mosaic.h"

#include <QPushButton>
#include <QToolButton>

namespace test_several_heads {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

using Heads = std::vector<LayerHead>;

class TestSeveralHeads : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(window_.open(QStringLiteral("gpt2-mini-6l")));
        grid_ = window_->find<HeadMosaic>("headGrid");
    }
    void init() {
        document().ablation().clearMask();
        QTest::mouseClick(grid_, Qt::LeftButton, {}, at(2, 1));
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}}));
    }
    void cleanupTestCase() { window_.close(); }

    void ctrlClickAddsAndTakesAway() {
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(4, 1));
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {4, 1}}));
        QCOMPARE(document().selection().head(), (LayerHead{4, 1}));
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(4, 1));
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}}));
        QCOMPARE(document().selection().head(), (LayerHead{2, 1}));
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(2, 1)); // the last one
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}}));
    }

    void shiftClickChoosesARectangle() {
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ShiftModifier, at(3, 2));
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {2, 2}, {3, 1}, {3, 2}}));
        QCOMPARE(document().selection().head(), (LayerHead{3, 2}));
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ShiftModifier, at(1, 1));
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {1, 1}}));
    }

    void draggingChoosesARectangle() {
        QTest::mousePress(grid_, Qt::LeftButton, {}, at(1, 0));
        move(at(1, 1));
        move(at(1, 2));
        QTest::mouseRelease(grid_, Qt::LeftButton, {}, at(1, 2));
        QCOMPARE(document().selection().chosen(), (Heads{{1, 0}, {1, 1}, {1, 2}}));
        move(at(4, 4), Qt::NoButton);
        QCOMPARE(document().selection().chosen().size(), 3u);
    }

    void shiftWithArrowsExtends() {
        grid_->setFocus();
        QTest::keyClick(grid_, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(grid_, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {2, 2}, {3, 1}, {3, 2}}));
        QTest::keyClick(grid_, Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {3, 1}}));
        QVERIFY(grid_->accessibleDescription().contains(QStringLiteral("One of 2")));
        QTest::keyClick(grid_, Qt::Key_Left);
        QCOMPARE(document().selection().chosen(), (Heads{{3, 0}}));
    }

    void theGridShowsWhichAreChosen() {
        const QColor window = grid_->palette().color(QPalette::Window);
        const auto hasRing = [&](int row, int column, int index) {
            const QRect cell = grid_->cellRect(row, column);
            const QColor seen =
                grid_->grab().toImage().pixelColor(cell.left() + 1, cell.center().y());
            return seen == headColour(index, window);
        };
        QVERIFY(!hasRing(2, 1, 0));
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(4, 2));
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(3, 3));
        QVERIFY(hasRing(2, 1, 0));
        QVERIFY(hasRing(4, 2, 1));
        QVERIFY(!hasRing(0, 0, 0));
    }

    void deleteAblatesAllAsOneStep() {
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ControlModifier, at(4, 1));
        QCOMPARE(window_->find<QPushButton>("ablateHead")->text(),
                 QStringLiteral("Ablate L2 H1, L4 H1"));
        auto* ablate = window_->find<QAction>("actionAblateHead");
        QCOMPARE(ablate->text().remove(QLatin1Char('&')), QStringLiteral("Ablate 2 Heads"));
        grid_->setFocus();
        QTest::keyClick(grid_, Qt::Key_Delete);
        QVERIFY(document().ablation().areAblated({{2, 1}, {4, 1}}));
        QCOMPARE(document().ablation().mask().size(), 2u);
        QVERIFY(ablate->isChecked());
        QTest::keyClick(grid_, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(document().ablation().mask().empty());
        QTest::mouseClick(window_->find<QPushButton>("ablateHead"), Qt::LeftButton);
        QCOMPARE(document().ablation().mask().size(), 2u);
        QVERIFY(window_->settled());
    }

    void theMosaicOfPatternsChoosesToo() {
        QTest::mouseClick(window_->find<QToolButton>("allHeadsButton"), Qt::LeftButton);
        auto* mosaic = window_->find<HeadMosaic>("allHeads");
        QTRY_COMPARE_WITH_TIMEOUT(mosaic->rows(), 6, kPatience);
        QTest::mouseClick(mosaic, Qt::LeftButton, Qt::ControlModifier,
                          mosaic->cellRect(0, 3).center());
        QCOMPARE(document().selection().chosen(), (Heads{{2, 1}, {0, 3}}));
        QCOMPARE(grid_->chosenCells().size(), 2);
        QCOMPARE(mosaic->chosenCells(), grid_->chosenCells());
        QTest::mouseClick(window_->find<QToolButton>("oneHeadButton"), Qt::LeftButton);
    }

    void otherWaysToSelectChooseOne() {
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ShiftModifier, at(3, 2));
        QCOMPARE(document().selection().chosen().size(), 4u);
        window_->find<QAction>("actionNextHead")->trigger();
        QCOMPARE(document().selection().chosen(), (Heads{{3, 3}}));
        QCOMPARE(grid_->chosenCells().size(), 1);
        QTest::mouseClick(grid_, Qt::LeftButton, Qt::ShiftModifier, at(3, 5)); // from there
        QCOMPARE(document().selection().chosen(), (Heads{{3, 3}, {3, 4}, {3, 5}}));
    }

private:
    Document& document() { return window_->document(); }
    QPoint at(int row, int column) const { return grid_->cellRect(row, column).center(); }
    void move(QPoint to, Qt::MouseButtons held = Qt::LeftButton) {
        QMouseEvent event(QEvent::MouseMove, to, grid_->mapToGlobal(to), Qt::NoButton, held, {});
        QCoreApplication::sendEvent(grid_, &event);
    }

    SharedWindow window_;
    HeadMosaic* grid_ = nullptr;
};

const headscope::test::TestRegistration<TestSeveralHeads> registration;

} // namespace test_several_heads

#include "test_several_heads.moc"
