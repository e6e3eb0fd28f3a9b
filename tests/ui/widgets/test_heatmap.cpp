#include "tests/support/runner.h"
#include "tests/ui/widgets/heatmap_contents.h"

#include <QLabel>
#include <QSignalSpy>
#include <QtTest>

namespace test_heatmap {

using namespace headscope;
using namespace headscope::ui;

class TestHeatmap : public QObject {
    Q_OBJECT

private slots:
    void init();
    void reportsTheCellUnderThePointer();
    void reportsTheRightCellAfterZoom();
    void reportsTheCellThatZoomBringsUnderThePointer();
    void reportsAgainWhenContentChangesUnderThePointer();
    void leavesWhenThePointerLeaves();
    void clickLocksAndUnlocksTheRow();
    void dragPansAndLocksNothing();
    void wheelZoomsAroundThePointer();
    void neverZoomsBeyondTheData();
    void doubleClickResetsAndKeepsTheLock();
    void keysZoomAndUnlock();
    void escapeTakesTheCrosshairAway();
    void leavesOtherKeysToItsParent();
    void keepsZoomAndLockForTheSameSize();
    void dropsZoomAndLockForAnotherSize();
    void showsAMessageWhenEmpty();
    void drawsMaskedCellsAsBackground();
    void followsThePalette();
    void keepsCellsSquareWhileFew();
    void canShrinkAfterGrowing();

private:
    QWidget* plot() const { return heatmap_->childAt(heatmap_->rect().center()); }
    void hover(std::size_t row, std::size_t column) {
        QTest::mouseMove(plot(), heatmap_->cellCentre(row, column));
    }
    void click(std::size_t row, std::size_t column) {
        QTest::mouseClick(plot(), Qt::LeftButton, {}, heatmap_->cellCentre(row, column));
    }
    void wheel(QPointF position, int notches) {
        QWheelEvent event(position, plot()->mapToGlobal(position), {}, QPoint(0, 120 * notches),
                          Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(plot(), &event);
    }
    std::size_t visibleRows() const {
        const auto visible = heatmap_->visibleCells();
        return visible.last_row - visible.first_row + 1;
    }

    std::unique_ptr<Heatmap> heatmap_;
};

void TestHeatmap::init() {
    heatmap_ = std::make_unique<Heatmap>();
    heatmap_->resize(640, 560);
    heatmap_->setContent(causalContent(16));
    heatmap_->show();
    QVERIFY(QTest::qWaitForWindowExposed(heatmap_.get()));
    QTest::mouseMove(plot(), QPoint(1, 1)); // away from the cells
}

void TestHeatmap::reportsTheCellUnderThePointer() {
    QSignalSpy hovered(heatmap_.get(), &Heatmap::cellHovered);
    hover(11, 3);
    QCOMPARE(hovered.size(), 1);
    QCOMPARE(hovered.last()[0].value<std::size_t>(), 11u);
    QCOMPARE(hovered.last()[1].value<std::size_t>(), 3u);
    // Query rows run downwards, keys to the right.
    QVERIFY(heatmap_->cellCentre(11, 3).y() > heatmap_->cellCentre(3, 3).y());
    QVERIFY(heatmap_->cellCentre(11, 11).x() > heatmap_->cellCentre(11, 3).x());
    hover(11, 3);
    QCOMPARE(hovered.size(), 1);
    hover(0, 15);
    QCOMPARE(hovered.last()[1].value<std::size_t>(), 15u);
}

void TestHeatmap::reportsTheRightCellAfterZoom() {
    QSignalSpy hovered(heatmap_.get(), &Heatmap::cellHovered);
    wheel(heatmap_->cellCentre(9, 4), 3);
    QVERIFY(visibleRows() < 12);
    hover(10, 5);
    QCOMPARE(hovered.last()[0].value<std::size_t>(), 10u);
    QCOMPARE(hovered.last()[1].value<std::size_t>(), 5u);
}

void TestHeatmap::reportsTheCellThatZoomBringsUnderThePointer() {
    wheel(heatmap_->cellCentre(15, 0), 5);
    hover(14, 1);
    QSignalSpy hovered(heatmap_.get(), &Heatmap::cellHovered);
    QTest::keyClick(heatmap_.get(), Qt::Key_0);
    QVERIFY(!hovered.isEmpty());
    QVERIFY(hovered.last()[0].value<std::size_t>() < 14);
}

void TestHeatmap::reportsAgainWhenContentChangesUnderThePointer() {
    hover(5, 5);
    QSignalSpy hovered(heatmap_.get(), &Heatmap::cellHovered);
    heatmap_->setContent(causalContent(16));
    QCOMPARE(hovered.size(), 1);
    QCOMPARE(hovered.last()[0].value<std::size_t>(), 5u);
}

void TestHeatmap::leavesWhenThePointerLeaves() {
    hover(5, 5);
    QSignalSpy left(heatmap_.get(), &Heatmap::hoverLeft);
    QTest::mouseMove(plot(), QPoint(2, 2)); // the margin
    QCOMPARE(left.size(), 1);
    hover(5, 5);
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(plot(), &leave);
    QCOMPARE(left.size(), 2);
}

void TestHeatmap::clickLocksAndUnlocksTheRow() {
    QSignalSpy locked(heatmap_.get(), &Heatmap::rowLocked);
    QSignalSpy clicked(heatmap_.get(), &Heatmap::cellClicked);
    click(7, 2);
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.last()[0].value<std::size_t>(), 7u);
    QCOMPARE(clicked.last()[1].value<std::size_t>(), 2u);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(7));
    click(8, 2);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(8));
    click(8, 6);
    QCOMPARE(heatmap_->lockedRow(), std::nullopt);
    QCOMPARE(locked.size(), 3);
    heatmap_->lockRow(99);
    QCOMPARE(heatmap_->lockedRow(), std::nullopt);
}

void TestHeatmap::dragPansAndLocksNothing() {
    wheel(heatmap_->cellCentre(8, 8), 4);
    const auto before = heatmap_->visibleCells();
    const QPoint from = heatmap_->cellCentre(9, 9);
    const QPoint to = heatmap_->cellCentre(6, 9);
    QTest::mousePress(plot(), Qt::LeftButton, {}, from);
    QTest::mouseMove(plot(), (from + to) / 2);
    QTest::mouseMove(plot(), to);
    QTest::mouseRelease(plot(), Qt::LeftButton, {}, to);
    const auto after = heatmap_->visibleCells();
    QCOMPARE(after.first_row, before.first_row + 3);
    QCOMPARE(after.first_column, before.first_column);
    QCOMPARE(heatmap_->lockedRow(), std::nullopt);
}

void TestHeatmap::wheelZoomsAroundThePointer() {
    const QPoint anchor = heatmap_->cellCentre(10, 4);
    wheel(anchor, 2);
    QVERIFY(visibleRows() < 16);
    // The cell under the pointer stays there.
    QVERIFY((heatmap_->cellCentre(10, 4) - anchor).manhattanLength() <= 2);
    wheel(anchor, -2);
    QCOMPARE(visibleRows(), 16u);
}

void TestHeatmap::neverZoomsBeyondTheData() {
    wheel(heatmap_->cellCentre(0, 0), -5);
    const auto all = heatmap_->visibleCells();
    QCOMPARE(all.first_row, 0u);
    QCOMPARE(all.last_row, 15u);
    QCOMPARE(all.first_column, 0u);
    QCOMPARE(all.last_column, 15u);
    wheel(heatmap_->cellCentre(15, 15), 60);
    QCOMPARE(heatmap_->visibleCells().last_row, 15u);
    QVERIFY(visibleRows() >= 2);
    QVERIFY(visibleRows() <= 3);             // two, and part of a third
    wheel(heatmap_->cellCentre(14, 14), -2); // away from the corner, into what is not there
    QCOMPARE(heatmap_->visibleCells().last_row, 15u);
    QCOMPARE(heatmap_->visibleCells().last_column, 15u);
}

void TestHeatmap::doubleClickResetsAndKeepsTheLock() {
    heatmap_->lockRow(9);
    wheel(heatmap_->cellCentre(8, 8), 4);
    QVERIFY(visibleRows() < 16);
    const QPoint at = heatmap_->cellCentre(8, 8);
    QTest::mouseClick(plot(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(plot(), Qt::LeftButton, {}, at);
    QCOMPARE(visibleRows(), 16u);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(9));
}

void TestHeatmap::keysZoomAndUnlock() {
    QTest::keyClick(heatmap_.get(), Qt::Key_Plus);
    QTest::keyClick(heatmap_.get(), Qt::Key_Plus);
    const std::size_t close = visibleRows();
    QVERIFY(close < 12);
    QTest::keyClick(heatmap_.get(), Qt::Key_Minus);
    QVERIFY(visibleRows() > close);
    QTest::keyClick(heatmap_.get(), Qt::Key_0);
    QCOMPARE(visibleRows(), 16u);

    QTest::keyClick(heatmap_.get(), Qt::Key_Down, Qt::ShiftModifier);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(0));
    QTest::keyClick(heatmap_.get(), Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(heatmap_.get(), Qt::Key_Down, Qt::ShiftModifier);
    QTest::keyClick(heatmap_.get(), Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(1));
    QTest::keyClick(heatmap_.get(), Qt::Key_Escape);
    QCOMPARE(heatmap_->lockedRow(), std::nullopt);
}

void TestHeatmap::escapeTakesTheCrosshairAway() {
    const QSignalSpy hovered(heatmap_.get(), &Heatmap::cellHovered);
    const QSignalSpy left(heatmap_.get(), &Heatmap::hoverLeft);
    const QPointF cell = heatmap_->cellCentre(11, 3);
    QMouseEvent move(QEvent::MouseMove, cell, plot()->mapToGlobal(cell), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(plot(), &move);
    QCOMPARE(hovered.size(), 1);
    QTest::keyClick(heatmap_.get(), Qt::Key_Escape);
    QCOMPARE(left.size(), 1);
}

void TestHeatmap::leavesOtherKeysToItsParent() {
    for (const int key :
         {Qt::Key_Up, Qt::Key_Down, Qt::Key_Left, Qt::Key_Right, Qt::Key_Delete, Qt::Key_Escape}) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        event.accept();
        QCoreApplication::sendEvent(heatmap_.get(), &event);
        QVERIFY2(!event.isAccepted(), QByteArray::number(key));
    }
}

void TestHeatmap::keepsZoomAndLockForTheSameSize() {
    heatmap_->lockRow(9);
    wheel(heatmap_->cellCentre(9, 4), 3);
    const auto before = heatmap_->visibleCells();
    heatmap_->setContent(causalContent(16));
    QCOMPARE(heatmap_->visibleCells().first_row, before.first_row);
    QCOMPARE(heatmap_->visibleCells().last_column, before.last_column);
    QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(9));
}

void TestHeatmap::dropsZoomAndLockForAnotherSize() {
    heatmap_->lockRow(9);
    wheel(heatmap_->cellCentre(9, 4), 3);
    QSignalSpy locked(heatmap_.get(), &Heatmap::rowLocked);
    heatmap_->setContent(causalContent(12));
    QCOMPARE(heatmap_->visibleCells().first_row, 0u);
    QCOMPARE(heatmap_->visibleCells().last_row, 11u);
    QCOMPARE(heatmap_->lockedRow(), std::nullopt);
    QCOMPARE(locked.size(), 1);
}

void TestHeatmap::showsAMessageWhenEmpty() {
    heatmap_->setEmpty(QStringLiteral("Type a prompt."));
    const auto* label = heatmap_->findChild<QLabel*>();
    QVERIFY(label->isVisible());
    QCOMPARE(label->text(), QStringLiteral("Type a prompt."));
    QCOMPARE(heatmap_->visibleCells().last_row, 0u);
    heatmap_->setContent(causalContent(16));
    QVERIFY(!label->isVisible());
    QCOMPARE(heatmap_->visibleCells().last_row, 15u);
}

void TestHeatmap::drawsMaskedCellsAsBackground() {
    const QImage image = heatmap_->grab().toImage();
    // A quarter of a cell away from the number in the middle.
    const QPoint off_centre = (heatmap_->cellCentre(1, 1) - heatmap_->cellCentre(0, 0)) / 3;
    const auto pixel = [&](std::size_t row, std::size_t column) {
        return image.pixelColor(heatmap_->cellCentre(row, column) + off_centre);
    };
    QCOMPARE(pixel(0, 0), colourAt(ColourMap::Viridis, 1.0));
    QCOMPARE(pixel(3, 2), colourAt(ColourMap::Viridis, 0.25));
    QVERIFY(pixel(2, 9) != colourAt(ColourMap::Viridis, 0.0));
    QVERIFY(pixel(2, 9).lightness() > 200);
}

void TestHeatmap::followsThePalette() {
    QPalette dark;
    dark.setColor(QPalette::Base, QColor(20, 20, 20));
    dark.setColor(QPalette::Text, Qt::white);
    heatmap_->setPalette(dark);
    QCOMPARE(heatmap_->grab().toImage().pixelColor(1, 1), QColor(20, 20, 20));
}

void TestHeatmap::keepsCellsSquareWhileFew() {
    const QPoint step = heatmap_->cellCentre(1, 1) - heatmap_->cellCentre(0, 0);
    QVERIFY(std::abs(step.x() - step.y()) <= 1);
    heatmap_->resize(1100, 400);
    const QPoint wide = heatmap_->cellCentre(15, 15) - heatmap_->cellCentre(0, 0);
    QVERIFY(std::abs(wide.x() - wide.y()) <= 2);
    heatmap_->setContent(causalContent(400));
    const QPoint many = heatmap_->cellCentre(399, 399) - heatmap_->cellCentre(0, 0);
    QVERIFY(many.x() > many.y() + 200);
}

void TestHeatmap::canShrinkAfterGrowing() {
    heatmap_->resize(1600, 1200);
    heatmap_->grab();
    QVERIFY(heatmap_->minimumSizeHint().width() <= 240);
    QVERIFY(heatmap_->minimumSizeHint().height() <= 240);
}

const headscope::test::TestRegistration<TestHeatmap> registration;

} // namespace test_heatmap

#include "test_heatmap.moc"
