#include "tests/support/runner.h"
#include "tests/ui/widgets/heatmap_contents.h"
#include "tests/ui/widgets/reader_events.h"

#include <QSignalSpy>
#include <QtTest>

namespace test_heatmap_for_readers {

using namespace headscope;
using namespace headscope::ui;
using namespace headscope::ui::test;

namespace {

/// Many cells, none of which is in memory.
class FarCells : public CellSource {
public:
    explicit FarCells(std::size_t side) : side_(side) {}

    std::size_t rows() const override { return side_; }
    std::size_t columns() const override { return side_; }
    Tensor pooled(const TileRequest& request) const override {
        return Tensor({std::min(request.most_rows, request.rows.size()),
                       std::min(request.most_columns, request.columns.size())},
                      0.5f);
    }

private:
    std::size_t side_;
};

} // namespace

class TestHeatmapForReaders : public QObject {
    Q_OBJECT

private slots:
    void init() {
        heatmap_ = std::make_unique<Heatmap>();
        heatmap_->resize(640, 560);
        heatmap_->setContent(causalContent(16));
        heatmap_->show();
        QVERIFY(QTest::qWaitForWindowExposed(heatmap_.get()));
    }
    void cleanup() { heatmap_.reset(); }

    void isATableOfQueriesAndKeys() {
        QAccessibleInterface* reader = readerOf(*heatmap_);
        QCOMPARE(reader->role(), QAccessible::Table);
        QCOMPARE(reader->childCount(), 256);
        const auto* table = reader->tableInterface();
        QCOMPARE(table->rowCount(), 16);
        QCOMPARE(table->columnCount(), 16);
        QCOMPARE(table->rowDescription(4), QStringLiteral("query tok4"));
        QCOMPARE(table->columnDescription(2), QStringLiteral("key tok2"));
        QCOMPARE(nameOf(4, 2), QStringLiteral("query tok4, key tok2, attention 0.2"));
        QCOMPARE(nameOf(2, 4), QStringLiteral("query tok2, key tok4, not visible"));
    }

    void cellsLieWhereTheyArePainted() {
        const QPoint middle = heatmap_->mapToGlobal(heatmap_->cellCentre(11, 3));
        QVERIFY(cell(11, 3)->rect().contains(middle));
        QVERIFY(!cell(11, 4)->rect().contains(middle));
        QCOMPARE(readerOf(*heatmap_)->childAt(middle.x(), middle.y()), cell(11, 3));
    }

    void theLockedRowIsSelected() {
        QSignalSpy locked(heatmap_.get(), &Heatmap::rowLocked);
        ReaderEvents events;
        const auto* table = readerOf(*heatmap_)->tableInterface();
        QCOMPARE(table->selectedCellCount(), 0);
        cell(5, 3)->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(heatmap_->lockedRow(), std::optional<std::size_t>(5));
        QCOMPARE(locked.size(), 1);
        const auto selection = events.taken(QAccessible::Selection);
        QCOMPARE(selection.size(), std::size_t{1});
        QVERIFY(selection[0].name.startsWith(QStringLiteral("query tok5, key tok0")));
        QCOMPARE(table->selectedRows(), QList<int>{5});
        QCOMPARE(table->selectedCellCount(), 16);
        QVERIFY(cell(5, 9)->state().selected && !cell(4, 9)->state().selected);
        heatmap_->activateWindow();
        heatmap_->setFocus();
        QTRY_VERIFY(heatmap_->hasFocus());
        QTest::keyClick(heatmap_.get(), Qt::Key_Down, Qt::ShiftModifier);
        const auto focus = events.taken(QAccessible::Focus);
        QVERIFY(!focus.empty());
        QVERIFY(focus.back().name.startsWith(QStringLiteral("query tok6, key tok0")));
    }

    /// The cells alone would need a gigabyte.
    void millionsOfCellsAreMadeOneByOne() {
        HeatmapContent content;
        content.cells = std::make_shared<FarCells>(4000);
        content.value_name = QStringLiteral("attention");
        heatmap_->setContent(std::move(content));
        QAccessibleInterface* reader = readerOf(*heatmap_);
        QCOMPARE(reader->childCount(), 16000000);
        QCOMPARE(reader->child(15999999)->tableCellInterface()->rowIndex(), 3999);
        const QAccessible::Id first = QAccessible::uniqueId(reader->child(15999999));
        const QAccessible::Id next = QAccessible::uniqueId(reader->child(7));
        QCOMPARE(next, first + 1); // no other was made between them
        QVERIFY(
            reader->child(7)->text(QAccessible::Name).endsWith(QStringLiteral("attention 0.5")));
    }

    void isEmptyBesideAMessage() {
        ReaderEvents events;
        const QAccessible::Id one = QAccessible::uniqueId(cell(1, 1));
        heatmap_->setEmpty(QStringLiteral("Run a prompt."));
        QVERIFY(!QAccessible::accessibleInterface(one));
        QVERIFY(!events.taken(QAccessible::TableModelChanged).empty());
        QCOMPARE(readerOf(*heatmap_)->childCount(), 0);
        QCOMPARE(readerOf(*heatmap_)->text(QAccessible::Description),
                 QStringLiteral("Run a prompt."));
        const QPoint middle = heatmap_->mapToGlobal(heatmap_->rect().center());
        QVERIFY(!readerOf(*heatmap_)->childAt(middle.x(), middle.y()));
    }

private:
    QAccessibleInterface* cell(int row, int column) const {
        return readerOf(*heatmap_)->tableInterface()->cellAt(row, column);
    }
    QString nameOf(int row, int column) const { return cell(row, column)->text(QAccessible::Name); }

    std::unique_ptr<Heatmap> heatmap_;
};

const headscope::test::TestRegistration<TestHeatmapForReaders> registration;

} // namespace test_heatmap_for_readers

#include "test_heatmap_for_readers.moc"
