#include "tests/support/runner.h"
#include "ui/widgets/head_mosaic.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolTip>
#include <QWheelEvent>
#include <QtTest>

namespace test_head_mosaic {

using namespace headscope::ui;

namespace {

QVector<MosaicCell> cellsFor(int rows, int columns) {
    QVector<MosaicCell> cells(qsizetype{rows} * columns);
    for (qsizetype i = 0; i < cells.size(); ++i)
        cells[i].tooltip = markup(u"<b>cell %1</b>", QString::number(i));
    return cells;
}

/// A mosaic with room for so many pixels.
struct ScrolledMosaic : QScrollArea {
    explicit ScrolledMosaic(QSize room) {
        setWidgetResizable(true);
        setWidget(mosaic);
        resize(room);
        show();
    }

    HeadMosaic* const mosaic = new HeadMosaic;
};

} // namespace

class TestHeadMosaic : public QObject {
    Q_OBJECT

private slots:
    void init();
    void clickSelects();
    void doubleClickActivates();
    void keysMoveAndAsk_data();
    void keysMoveAndAsk();
    void staysInsideTheGrid();
    void settingTheSelectionDoesNotEmit();
    void aCellPointedAtElsewhereHasARing();
    void aRectangleLeavesOutRemovedHeads();
    void contextMenuNamesItsCell();
    void cellsFollowTheSizeOfTheWidget();
    void largeGridsFitWithoutScrolling_data();
    void largeGridsFitWithoutScrolling();
    void smallCellsShowUnderALens();
    void theWheelZoomsWithCtrl();
    void groupsStandApart();
    void columnNumbersCanBeLeftOut();
    void paintsTypesAndAblatedHeads();
    void paintsValuesAndNames();
    void marksOfEffectsAreApartFromLetters();
    void selectionShowsWithoutColour();
    void showsTheToolTipOfACell();
    void describesTheSelection();
    void showsATextWhenEmpty();

private:
    QPoint middle(int row, int column) const { return mosaic_->cellRect(row, column).center(); }

    std::unique_ptr<HeadMosaic> mosaic_;
};

void TestHeadMosaic::init() {
    mosaic_ = std::make_unique<HeadMosaic>();
    mosaic_->setCells(4, 6, 1, cellsFor(4, 6));
    mosaic_->resize(mosaic_->sizeHint());
    mosaic_->show();
}

void TestHeadMosaic::clickSelects() {
    QSignalSpy selected(mosaic_.get(), &HeadMosaic::selected);
    QTest::mouseClick(mosaic_.get(), Qt::LeftButton, {}, middle(2, 5));
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected.first(), (QVariantList{2, 5}));
    QCOMPARE(mosaic_->selectedRow(), 2);
    QCOMPARE(mosaic_->selectedColumn(), 5);
    QTest::mouseClick(mosaic_.get(), Qt::LeftButton, {}, QPoint(1, 1)); // the margin
    QCOMPARE(selected.size(), 1);
}

void TestHeadMosaic::doubleClickActivates() {
    QSignalSpy activated(mosaic_.get(), &HeadMosaic::activated);
    QTest::mouseDClick(mosaic_.get(), Qt::LeftButton, {}, middle(1, 4));
    QCOMPARE(activated.size(), 1);
    QCOMPARE(activated.first(), (QVariantList{1, 4}));
}

void TestHeadMosaic::keysMoveAndAsk_data() {
    QTest::addColumn<int>("key");
    QTest::addColumn<int>("row");
    QTest::addColumn<int>("column");
    QTest::newRow("left") << int(Qt::Key_Left) << 1 << 2;
    QTest::newRow("right") << int(Qt::Key_Right) << 1 << 4;
    QTest::newRow("up") << int(Qt::Key_Up) << 0 << 3;
    QTest::newRow("down") << int(Qt::Key_Down) << 2 << 3;
    QTest::newRow("home") << int(Qt::Key_Home) << 1 << 0;
    QTest::newRow("end") << int(Qt::Key_End) << 1 << 5;
    QTest::newRow("page up") << int(Qt::Key_PageUp) << 0 << 3;
    QTest::newRow("page down") << int(Qt::Key_PageDown) << 3 << 3;
}

void TestHeadMosaic::keysMoveAndAsk() {
    QFETCH(int, key);
    QFETCH(int, row);
    QFETCH(int, column);
    mosaic_->setSelected(1, 3);
    QSignalSpy selected(mosaic_.get(), &HeadMosaic::selected);
    QTest::keyClick(mosaic_.get(), static_cast<Qt::Key>(key));
    QCOMPARE(selected.size(), 1);
    QCOMPARE(selected.first(), (QVariantList{row, column}));

    QSignalSpy toggled(mosaic_.get(), &HeadMosaic::toggleRequested);
    QSignalSpy activated(mosaic_.get(), &HeadMosaic::activated);
    QTest::keyClick(mosaic_.get(), Qt::Key_Delete);
    QTest::keyClick(mosaic_.get(), Qt::Key_Space);
    QTest::keyClick(mosaic_.get(), Qt::Key_Return);
    QCOMPARE(toggled.size(), 2);
    QCOMPARE(toggled.last(), (QVariantList{row, column}));
    QCOMPARE(activated.size(), 1);
}

void TestHeadMosaic::staysInsideTheGrid() {
    QSignalSpy selected(mosaic_.get(), &HeadMosaic::selected);
    mosaic_->setSelected(0, 0);
    QTest::keyClick(mosaic_.get(), Qt::Key_Left);
    QTest::keyClick(mosaic_.get(), Qt::Key_Up);
    QVERIFY(selected.isEmpty());
    mosaic_->setSelected(9, 9);
    QCOMPARE(mosaic_->selectedRow(), 0);
    mosaic_->setSelected(3, 5);
    mosaic_->setCells(2, 2, 1, cellsFor(2, 2)); // a smaller model
    QCOMPARE(mosaic_->selectedRow(), 1);
    QCOMPARE(mosaic_->selectedColumn(), 1);
}

void TestHeadMosaic::settingTheSelectionDoesNotEmit() {
    QSignalSpy selected(mosaic_.get(), &HeadMosaic::selected);
    mosaic_->setSelected(2, 2);
    QVERIFY(selected.isEmpty());
}

void TestHeadMosaic::aCellPointedAtElsewhereHasARing() {
    const QImage plain = mosaic_->grab().toImage();
    mosaic_->setPointed(GridCell{0, 1});
    QCOMPARE(mosaic_->pointed(), std::optional(GridCell{0, 1}));
    const QImage ringed = mosaic_->grab().toImage();
    QVERIFY(ringed != plain);
    const QRect cell = mosaic_->cellRect(0, 1).adjusted(-4, -4, 4, 4);
    for (int y = 0; y < plain.height(); ++y)
        for (int x = 0; x < plain.width(); ++x)
            QVERIFY(cell.contains(x, y) || ringed.pixel(x, y) == plain.pixel(x, y));
    mosaic_->setPointed(GridCell{99, 1}); // not there
    QCOMPARE(mosaic_->grab().toImage(), plain);
}

void TestHeadMosaic::aRectangleLeavesOutRemovedHeads() {
    QVector<MosaicCell> cells = cellsFor(4, 6);
    cells[1 * 6 + 2].removed = true;
    mosaic_->setCells(4, 6, 1, cells);
    mosaic_->setSelected(1, 1);
    QSignalSpy several(mosaic_.get(), &HeadMosaic::severalChosen);
    QTest::mouseClick(mosaic_.get(), Qt::LeftButton, Qt::ShiftModifier, middle(2, 3));
    QCOMPARE(several.size(), 1);
    const QVector<GridCell> expected{{1, 1}, {1, 3}, {2, 1}, {2, 2}, {2, 3}};
    QCOMPARE(mosaic_->chosenCells(), expected);
    QTest::keyClick(mosaic_.get(), Qt::Key_Up, Qt::ShiftModifier); // from the same corner
    QCOMPARE(mosaic_->chosenCells(), (QVector<GridCell>{{1, 1}, {1, 3}}));
}

void TestHeadMosaic::contextMenuNamesItsCell() {
    QSignalSpy menu(mosaic_.get(), &HeadMosaic::contextMenuRequested);
    QContextMenuEvent by_mouse(QContextMenuEvent::Mouse, middle(3, 1),
                               mosaic_->mapToGlobal(middle(3, 1)));
    QCoreApplication::sendEvent(mosaic_.get(), &by_mouse);
    QCOMPARE(menu.last()[0].toInt(), 3);
    QCOMPARE(menu.last()[1].toInt(), 1);
    mosaic_->setSelected(2, 4);
    QContextMenuEvent by_key(QContextMenuEvent::Keyboard, QPoint(), QPoint());
    QCoreApplication::sendEvent(mosaic_.get(), &by_key);
    QCOMPARE(menu.last()[0].toInt(), 2);
    QCOMPARE(menu.last()[2].toPoint(), mosaic_->mapToGlobal(middle(2, 4)));
}

void TestHeadMosaic::cellsFollowTheSizeOfTheWidget() {
    mosaic_->resize(2000, 2000);
    QCOMPARE(mosaic_->cellRect(0, 0).width(), 44);
    mosaic_->resize(50, 50);
    QCOMPARE(mosaic_->cellRect(0, 0).width(), 2);
    mosaic_->resize(mosaic_->minimumSizeHint());
    QVERIFY(mosaic_->rect().contains(mosaic_->cellRect(3, 5)));
    mosaic_->setCellSizeRange(60, 90);
    QCOMPARE(mosaic_->cellRect(0, 0).width(), 60);
}

void TestHeadMosaic::largeGridsFitWithoutScrolling_data() {
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("per_group");
    QTest::newRow("GPT-2 small") << 12 << 12 << 1;
    QTest::newRow("TinyLlama") << 22 << 32 << 8;
    QTest::newRow("96 x 96") << 96 << 96 << 1;
    QTest::newRow("96 x 96, grouped") << 96 << 96 << 12;
}

/// In the room that the window of 1280 × 720 has beside the pattern.
void TestHeadMosaic::largeGridsFitWithoutScrolling() {
    QFETCH(int, layers);
    QFETCH(int, heads);
    QFETCH(int, per_group);
    ScrolledMosaic area({294, 280});
    HeadMosaic* const large = area.mosaic;
    large->setCells(layers, heads, per_group, cellsFor(layers, heads));
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    QTRY_VERIFY(area.viewport()->rect().contains(large->cellRect(layers - 1, heads - 1)));
    QCOMPARE(area.verticalScrollBar()->maximum(), 0);
    QCOMPARE(area.horizontalScrollBar()->maximum(), 0);
    QTest::mouseClick(large, Qt::LeftButton, {}, large->cellRect(layers - 2, heads - 3).center());
    QCOMPARE(large->selectedRow(), layers - 2);
    QCOMPARE(large->selectedColumn(), heads - 3);
}

void TestHeadMosaic::smallCellsShowUnderALens() {
    auto cells = cellsFor(40, 40);
    cells[20 * 40 + 20].letters = QStringLiteral("I");
    mosaic_->resize(260, 260);
    mosaic_->setCells(40, 40, 1, cells);
    mosaic_->show();
    QVERIFY(QTest::qWaitForWindowExposed(mosaic_.get()));
    const QImage plain = mosaic_->grab().toImage();
    QTest::mouseMove(mosaic_.get(), mosaic_->cellRect(20, 20).center());
    QTRY_VERIFY(mosaic_->grab().toImage() != plain);
    const QImage under = mosaic_->grab().toImage();
    const QPoint cell = mosaic_->cellRect(20, 20).center();
    int changed = 0; // of the pixels in the lens above the cell
    for (int y = cell.y() - 50; y < cell.y() - 10; ++y)
        for (int x = cell.x() - 20; x < cell.x() + 20; ++x)
            changed += plain.pixel(x, y) != under.pixel(x, y) ? 1 : 0;
    QVERIFY(changed > 400);
    QTest::mouseMove(mosaic_.get(), QPoint(1, 1));
    QTRY_COMPARE(mosaic_->grab().toImage(), plain);
}

void TestHeadMosaic::theWheelZoomsWithCtrl() {
    ScrolledMosaic area({300, 300});
    HeadMosaic* const large = area.mosaic;
    large->setCells(48, 32, 4, cellsFor(48, 32));
    QVERIFY(QTest::qWaitForWindowExposed(&area));
    const auto turn = [&](int angle, Qt::KeyboardModifiers modifiers) {
        const QPointF at = large->cellRect(3, 3).center();
        QWheelEvent event(at, large->mapToGlobal(at), {}, {0, angle}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(large, &event);
    };
    const int fits = large->cellRect(0, 0).width();
    turn(120, {});
    QCOMPARE(large->cellRect(0, 0).width(), fits);
    const QSignalSpy zoomed(large, &HeadMosaic::zoomed);
    for (int i = 0; i < 12; ++i)
        turn(120, Qt::ControlModifier);
    QCOMPARE(zoomed.size(), 12);
    QVERIFY(large->cellRect(0, 0).width() >= fits + 12);
    QTRY_VERIFY(area.verticalScrollBar()->maximum() > 0);
    QVERIFY(large->rect().contains(large->cellRect(47, 31)));
    for (int i = 0; i < 40; ++i)
        turn(-120, Qt::ControlModifier);
    QTRY_COMPARE(large->cellRect(0, 0).width(), fits);
    QCOMPARE(area.verticalScrollBar()->maximum(), 0);
}

void TestHeadMosaic::groupsStandApart() {
    const auto gapAfter = [&](int column) {
        return mosaic_->cellRect(0, column + 1).left() - mosaic_->cellRect(0, column).right();
    };
    QCOMPARE(gapAfter(1), gapAfter(2));
    mosaic_->setCells(4, 6, 3, cellsFor(4, 6));
    QCOMPARE(gapAfter(0), gapAfter(1));
    QVERIFY(gapAfter(2) >= gapAfter(1) + 4);
    QTest::mouseClick(mosaic_.get(), Qt::LeftButton, {}, middle(0, 4));
    QCOMPARE(mosaic_->selectedColumn(), 4);
}

void TestHeadMosaic::columnNumbersCanBeLeftOut() {
    const QRect cell = mosaic_->cellRect(0, 2);
    const QRect above(cell.left(), cell.top() - 20, cell.width(), 18);
    const auto colours = [&] {
        const QImage image = mosaic_->grab(above).toImage();
        QSet<QRgb> found;
        for (int y = image.height() / 2; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x)
                found.insert(image.pixel(x, y));
        return found.size();
    };
    QVERIFY(colours() > 1);
    mosaic_->setColumnNumbers(false);
    QCOMPARE(colours(), 1);
}

void TestHeadMosaic::paintsTypesAndAblatedHeads() {
    auto cells = cellsFor(4, 6);
    cells[7].letters = QStringLiteral("IS");
    cells[7].colour = QColor(0, 114, 178);
    cells[7].strength = 1.0;
    mosaic_->setCells(4, 6, 1, cells);
    const QPoint corner = mosaic_->cellRect(1, 1).topLeft() + QPoint(8, 3);
    QCOMPARE(mosaic_->grab().toImage().pixelColor(corner), QColor(0, 114, 178));
    const QImage on = mosaic_->grab(mosaic_->cellRect(1, 1)).toImage();
    cells[7].ablated = true;
    mosaic_->setCells(4, 6, 1, cells);
    QVERIFY(mosaic_->grab().toImage().pixelColor(corner) != QColor(0, 114, 178));
    QVERIFY(mosaic_->grab(mosaic_->cellRect(1, 1)).toImage() != on);
}

void TestHeadMosaic::paintsValuesAndNames() {
    const auto picture = [&](const QString& value, const QString& name, bool bold) {
        auto cells = cellsFor(4, 6);
        cells[7].letters = QStringLiteral("I");
        cells[7].value = value;
        cells[7].name = name;
        cells[7].bold = bold;
        mosaic_->setCells(4, 6, 1, cells);
        return mosaic_->grab(mosaic_->cellRect(1, 1)).toImage();
    };
    const QString value = QStringLiteral(".62");
    const QString name = QStringLiteral("H5");
    const QImage letters = picture({}, {}, false);
    QVERIFY(picture(value, {}, false) != letters);
    QVERIFY(picture(value, {}, true) != picture(value, {}, false));
    QVERIFY(picture(value, name, false) != picture(value, {}, false));
    QVERIFY(picture(value, name, false) != picture({}, name, false));
    mosaic_->setCellSizeRange(18, 18); // room for the name alone
    QCOMPARE(picture(value, name, false), picture({}, name, false));
    QVERIFY(picture(value, name, false) != picture(value, {}, false));
}

void TestHeadMosaic::marksOfEffectsAreApartFromLetters() {
    mosaic_->setCellSizeRange(18, 18); // a second type is a dot in the upper right corner
    auto cells = cellsFor(4, 6);
    const auto picture = [&](const QString& letters, std::optional<EffectMark> effect) {
        cells[9].letters = letters;
        cells[9].colour = Qt::yellow;
        cells[9].strength = 1.0;
        cells[9].effect = effect;
        mosaic_->setCells(4, 6, 1, cells);
        return mosaic_->grab(mosaic_->cellRect(1, 3)).toImage();
    };
    const QImage plain = picture(QStringLiteral("I"), std::nullopt);
    const QImage marked = picture(QStringLiteral("I"), EffectMark::Dot);
    const QImage more = picture(QStringLiteral("IS"), std::nullopt);
    QVERIFY(plain != marked && plain != more);
    const QImage ring = picture(QStringLiteral("I"), EffectMark::Ring);
    const QImage bar = picture(QStringLiteral("I"), EffectMark::Bar);
    QVERIFY(ring != marked && bar != marked && bar != ring && bar != plain);
    for (int x = 0; x < plain.width(); ++x)
        for (int y = 0; y < plain.height(); ++y)
            QVERIFY2(plain.pixel(x, y) == marked.pixel(x, y) ||
                         plain.pixel(x, y) == more.pixel(x, y),
                     qPrintable(QStringLiteral("%1, %2").arg(x).arg(y)));
}

void TestHeadMosaic::selectionShowsWithoutColour() {
    mosaic_->setSelected(2, 2);
    const auto ring = [&](int row, int column) {
        const QRect cell = mosaic_->cellRect(row, column);
        return mosaic_->grab().toImage().pixelColor(cell.center().x(), cell.top() - 1);
    };
    QVERIFY(qAbs(ring(2, 2).lightness() - ring(2, 3).lightness()) > 60);
}

void TestHeadMosaic::showsTheToolTipOfACell() {
    QHelpEvent help(QEvent::ToolTip, middle(1, 1), mosaic_->mapToGlobal(middle(1, 1)));
    QCoreApplication::sendEvent(mosaic_.get(), &help);
    QCOMPARE(QToolTip::text(), QStringLiteral("<b>cell 7</b>"));
    QToolTip::hideText();
}

void TestHeadMosaic::describesTheSelection() {
    auto cells = cellsFor(4, 6);
    cells[8].ablated = true;
    mosaic_->setCells(4, 6, 1, cells);
    mosaic_->setSelected(1, 2);
    QCOMPARE(mosaic_->accessibleDescription(), QStringLiteral("layer 1, head 2, ablated. cell 8"));
    cells[8].name = QStringLiteral("H5");
    mosaic_->setCells(4, 6, 1, cells);
    QVERIFY(mosaic_->accessibleDescription().startsWith(QStringLiteral("layer 1, H5, ablated")));
    cells[8].name.clear();
    mosaic_->setCells(4, 6, 1, cells);
    mosaic_->setAxisNames(QStringLiteral("block"), QStringLiteral("group"));
    QVERIFY(mosaic_->accessibleDescription().startsWith(QStringLiteral("block 1, group 2")));
}

void TestHeadMosaic::showsATextWhenEmpty() {
    mosaic_->setEmptyText(QStringLiteral("Open a model."));
    mosaic_->setCells(0, 0, 1, {});
    QCOMPARE(mosaic_->accessibleDescription(), QStringLiteral("Open a model."));
    const QImage image = mosaic_->grab().toImage();
    const QColor background = image.pixelColor(0, 0);
    bool written = false;
    for (int x = 0; x < image.width(); ++x) {
        for (int y = 0; y < image.height(); ++y)
            written |= image.pixelColor(x, y) != background;
    }
    QVERIFY(written);
    QTest::keyClick(mosaic_.get(), Qt::Key_Right);
    QTest::mouseClick(mosaic_.get(), Qt::LeftButton, {}, QPoint(50, 50));
}

const headscope::test::TestRegistration<TestHeadMosaic> registration;

} // namespace test_head_mosaic

#include "test_head_mosaic.moc"
