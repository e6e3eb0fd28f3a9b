#include "tests/support/runner.h"
#include "tests/ui/widgets/reader_events.h"
#include "ui/widgets/head_mosaic.h"

#include <QSignalSpy>
#include <QtTest>

namespace test_mosaic_for_readers {

using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Reads a widget of which only the QWidget is left, as Qt does where a screen reader is there.
class AskingWhileItDies : public QObject {
public:
    AskingWhileItDies(QWidget* widget, QAccessible::Id table, QAccessible::Id cell)
        : table_(table), cell_(cell) {
        widget->installEventFilter(this);
    }

    bool was_asked = false;
    bool is_silent = true;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        QAccessibleInterface* table = QAccessible::accessibleInterface(table_);
        QAccessibleInterface* cell = QAccessible::accessibleInterface(cell_);
        if (watched->metaObject() != &QWidget::staticMetaObject || !table || !cell)
            return QObject::eventFilter(watched, event);
        was_asked = true;
        is_silent = is_silent && table->childCount() == 0 && !table->child(0) &&
                    !table->childAt(20, 20) && !table->tableInterface() && !cell->isValid() &&
                    cell->rect().isNull() && cell->text(QAccessible::Name).isEmpty();
        return false;
    }

private:
    QAccessible::Id table_;
    QAccessible::Id cell_;
};

} // namespace

class TestMosaicForReaders : public QObject {
    Q_OBJECT

private slots:
    void init() {
        mosaic_ = std::make_unique<HeadMosaic>();
        setCells(4, 6);
        mosaic_->resize(mosaic_->sizeHint());
        mosaic_->show();
        QVERIFY(QTest::qWaitForWindowExposed(mosaic_.get()));
    }
    void cleanup() { mosaic_.reset(); }

    void isATableWithNamedRowsAndColumns() {
        QAccessibleInterface* reader = readerOf(*mosaic_);
        QCOMPARE(reader->role(), QAccessible::Table);
        QCOMPARE(reader->text(QAccessible::Name), QStringLiteral("Grid of heads"));
        const auto* table = reader->tableInterface();
        QVERIFY(table);
        QCOMPARE(table->rowCount(), 4);
        QCOMPARE(table->columnCount(), 6);
        QCOMPARE(table->rowDescription(3), QStringLiteral("layer 3"));
        QCOMPARE(table->columnDescription(5), QStringLiteral("head 5"));
        QCOMPARE(table->columnDescription(6), QString());
        mosaic_->setColumnNumbers(false);
        mosaic_->setAxisNames(QStringLiteral("layer"), QStringLiteral("highest first"));
        QCOMPARE(table->columnDescription(5), QStringLiteral("highest first"));
    }

    void cellsSayWhatTheyShow() {
        auto cells = cellsFor(4, 6);
        cells[8].spoken = QStringLiteral("induction 0.59");
        cells[8].ablated = true;
        cells[8].tooltip = markup(u"<b>L1 H2</b> %1", QStringLiteral("& more"));
        cells[9].effect = EffectMark::Dot;
        cells[9].effect_words = QStringLiteral("Needed");
        cells[10].removed = true;
        mosaic_->setCells(4, 6, 1, cells);
        QCOMPARE(nameOf(1, 2), QStringLiteral("layer 1, head 2, induction 0.59, ablated"));
        QCOMPARE(cell(1, 2)->text(QAccessible::Description), QStringLiteral("L1 H2 & more"));
        QCOMPARE(nameOf(1, 3), QStringLiteral("layer 1, head 3, effect of ablating it: Needed"));
        QCOMPARE(nameOf(1, 4), QStringLiteral("layer 1, head 4, removed"));
        QVERIFY(cell(1, 4)->state().disabled && !cell(1, 3)->state().disabled);
        QVERIFY(cell(1, 4)->actionInterface()->actionNames().isEmpty());
    }

    void cellsAreChildrenInRowOrder() {
        QAccessibleInterface* reader = readerOf(*mosaic_);
        QCOMPARE(reader->childCount(), 24);
        QCOMPARE(reader->child(8), cell(1, 2));
        QCOMPARE(reader->indexOfChild(cell(1, 2)), 8);
        QCOMPARE(cell(1, 2)->parent(), reader);
        QCOMPARE(cell(1, 2)->role(), QAccessible::Cell);
        QCOMPARE(cell(1, 2)->tableCellInterface()->rowIndex(), 1);
        QCOMPARE(cell(1, 2)->tableCellInterface()->columnIndex(), 2);
        QVERIFY(!reader->child(24) && !reader->child(-1) && !cell(0, 6) && !cell(4, 0));
        QCOMPARE(reader->indexOfChild(readerOf(*mosaic_)), -1);
    }

    void cellsLieWhereTheyArePainted() {
        const QRect painted = mosaic_->cellRect(2, 4);
        const QRect global(mosaic_->mapToGlobal(painted.topLeft()), painted.size());
        QCOMPARE(cell(2, 4)->rect(), global);
        const QPoint middle = global.center();
        QCOMPARE(readerOf(*mosaic_)->childAt(middle.x(), middle.y()), cell(2, 4));
        const QPoint corner = mosaic_->mapToGlobal(QPoint(1, 1));
        QVERIFY(!readerOf(*mosaic_)->childAt(corner.x(), corner.y()));
        QVERIFY(!cell(2, 4)->state().offscreen && !cell(2, 4)->state().invisible);
    }

    void marksWhatIsChosen() {
        mosaic_->setChosen({{2, 1}, {2, 3}}, {2, 3});
        const auto* table = readerOf(*mosaic_)->tableInterface();
        QCOMPARE(table->selectedCellCount(), 2);
        QCOMPARE(table->selectedCells(), (QList<QAccessibleInterface*>{cell(2, 1), cell(2, 3)}));
        QVERIFY(cell(2, 1)->state().selected && !cell(2, 2)->state().selected);
        QVERIFY(table->selectedRows().isEmpty());
        QVector<GridCell> row;
        for (int column = 0; column < 6; ++column)
            row << GridCell{3, column};
        mosaic_->setChosen(row, {3, 0});
        QCOMPARE(table->selectedRows(), QList<int>{3});
        QVERIFY(table->selectedColumns().isEmpty() && !table->isColumnSelected(0));
    }

    void theFocusIsInTheCurrentCell() {
        mosaic_->setSelected(1, 5);
        focusMosaic();
        QVERIFY(cell(1, 5)->state().focused && !cell(1, 4)->state().focused);
        QCOMPARE(readerOf(*mosaic_)->focusChild(), cell(1, 5));
    }

    void aReaderChoosesACell() {
        QSignalSpy selected(mosaic_.get(), &HeadMosaic::selected);
        cell(3, 2)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.first(), (QVariantList{3, 2}));
        mosaic_->setEnabled(false);
        cell(3, 3)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(selected.size(), 1);
    }

    void tellsWhatChanges() {
        focusMosaic();
        ReaderEvents events;
        QTest::keyClick(mosaic_.get(), Qt::Key_Right);
        const auto focus = events.taken(QAccessible::Focus);
        QCOMPARE(focus.size(), std::size_t{1});
        QCOMPARE(focus[0].name, QStringLiteral("layer 0, head 1"));
        mosaic_->setSelected(2, 2);
        const auto selection = events.taken(QAccessible::Selection);
        QCOMPARE(selection.size(), std::size_t{1});
        QCOMPARE(selection[0].name, QStringLiteral("layer 2, head 2"));
        mosaic_->setSelected(2, 2); // again, as after every new score
        QVERIFY(events.taken(QAccessible::Selection).empty());
        setCells(4, 6);
        auto table = events.taken(QAccessible::TableModelChanged);
        QVERIFY(table.size() == 1 && !table[0].resets_table);
        setCells(5, 6);
        table = events.taken(QAccessible::TableModelChanged);
        QVERIFY(table.size() == 1 && table[0].resets_table);
    }

    void theFocusArrivesInTheCurrentCell() {
        mosaic_->setSelected(1, 1);
        focusMosaic();
        mosaic_->clearFocus();
        QVERIFY(!cell(1, 1)->state().focused);
        ReaderEvents events;
        mosaic_->setFocus();
        QCoreApplication::processEvents();
        const auto focus = events.taken(QAccessible::Focus);
        QCOMPARE(focus.size(), std::size_t{1});
        QCOMPARE(focus[0].name, QStringLiteral("layer 1, head 1"));
    }

    void cellsOfAnotherSizeAreOthers() {
        const QAccessible::Id last = QAccessible::uniqueId(cell(3, 5));
        const QAccessible::Id kept = QAccessible::uniqueId(cell(1, 1));
        setCells(2, 3); // nobody is told, but what a reader holds is still safe to ask
        QVERIFY(!QAccessible::accessibleInterface(last)->isValid());
        QCOMPARE(QAccessible::accessibleInterface(last)->text(QAccessible::Name), QString());
        QVERIFY(QAccessible::accessibleInterface(last)->state().invalid);
        QCOMPARE(QAccessible::accessibleInterface(kept)->text(QAccessible::Name),
                 QStringLiteral("layer 1, head 1"));
        const ReaderEvents events;
        setCells(6, 6);
        QVERIFY(!QAccessible::accessibleInterface(last));
        setCells(0, 0);
        QCOMPARE(readerOf(*mosaic_)->childCount(), 0);
        QVERIFY(!readerOf(*mosaic_)->child(0));
        QVERIFY(readerOf(*mosaic_)->tableInterface()->selectedCells().isEmpty());
    }

    void cellsGoWithTheirWidget() {
        const QAccessible::Id table = QAccessible::uniqueId(readerOf(*mosaic_));
        const QAccessible::Id one = QAccessible::uniqueId(cell(1, 1));
        focusMosaic(); // which it loses as a QWidget
        const AskingWhileItDies asking(mosaic_.get(), table, one);
        mosaic_.reset();
        QVERIFY(asking.was_asked && asking.is_silent);
        QVERIFY(!QAccessible::accessibleInterface(one));
        QVERIFY(!QAccessible::accessibleInterface(table));
    }

private:
    static QVector<MosaicCell> cellsFor(int rows, int columns) {
        return QVector<MosaicCell>(qsizetype{rows} * columns);
    }
    void setCells(int rows, int columns) {
        mosaic_->setCells(rows, columns, 1, cellsFor(rows, columns));
    }
    void focusMosaic() {
        mosaic_->activateWindow();
        mosaic_->setFocus();
        QTRY_VERIFY(mosaic_->hasFocus());
        QCoreApplication::processEvents();
    }
    QAccessibleInterface* cell(int row, int column) const {
        return readerOf(*mosaic_)->tableInterface()->cellAt(row, column);
    }
    QString nameOf(int row, int column) const { return cell(row, column)->text(QAccessible::Name); }

    std::unique_ptr<HeadMosaic> mosaic_;
};

const headscope::test::TestRegistration<TestMosaicForReaders> registration;

} // namespace test_mosaic_for_readers

#include "test_mosaic_for_readers.moc"
