#include "tests/support/runner.h"
#include "ui/tables/number_table.h"

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>
#include <QTest>

#include <limits>

namespace test_number_table {

using namespace headscope::ui;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

NumberTable* filled(QObject* parent, double full_bar = 0.0) {
    auto* table = new NumberTable({{QStringLiteral("part"), QString(), 0, 0.0},
                                   {QStringLiteral("value"), QStringLiteral("tip"), 2, full_bar}},
                                  parent);
    table->setRows({{QStringLiteral("a"), 10.0},
                    {QStringLiteral("b"), -9.13},
                    {QStringLiteral("c"), kNan},
                    {QStringLiteral("d"), 2.5}});
    return table;
}

} // namespace

class TestNumberTable : public QObject {
    Q_OBJECT

private slots:
    void keepsTheContractOfItemModels() {
        NumberTable table({{QStringLiteral("x"), QString(), 1, 0.0}});
        QAbstractItemModelTester tester(&table,
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        table.setRows({{1.0}, {2.0}});
        QCOMPARE(table.rowCount(), 2);
        QCOMPARE(table.rowCount(table.index(0, 0)), 0);
        table.setRows({});
        QCOMPARE(table.rowCount(), 0);
    }

    void numbersAreWrittenAlike() {
        QObject parent;
        const NumberTable* table = filled(&parent);
        QCOMPARE(table->index(0, 1).data().toString(), QStringLiteral("10.00"));
        QCOMPARE(table->index(1, 1).data().toString(), QStringLiteral("−9.13"));
        QCOMPARE(table->index(2, 1).data().toString(), QStringLiteral("–"));
        QCOMPARE(table->headerData(1, Qt::Horizontal, Qt::ToolTipRole).toString(),
                 QStringLiteral("tip"));
        QVERIFY(table->index(0, 1)
                    .data(Qt::TextAlignmentRole)
                    .value<Qt::Alignment>()
                    .testFlag(Qt::AlignRight));
    }

    void headingsStandAsTheirColumns() {
        QObject parent;
        const NumberTable* table = filled(&parent);
        const auto alignment = [&](int column) {
            return table->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole)
                .value<Qt::Alignment>();
        };
        QVERIFY(alignment(0).testFlag(Qt::AlignLeft));
        QVERIFY(alignment(1).testFlag(Qt::AlignRight));
    }

    void largeCountsAreGrouped() {
        NumberTable table({{.name = QStringLiteral("parameters"), .grouped = true}});
        table.setRows({{5898240LL}, {64LL}});
        QCOMPARE(table.index(0, 0).data().toString(), QStringLiteral("5,898,240"));
        QCOMPARE(table.index(1, 0).data().toString(), QStringLiteral("64"));
    }

    /// As texts "10.00" would come before "2.50"; what is not defined comes last.
    void numbersSortAsNumbers() {
        QObject parent;
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(filled(&parent));
        sorted.setSortRole(NumberTable::kSortRole);
        sorted.sort(1, Qt::DescendingOrder);
        QString order;
        for (int row = 0; row < 4; ++row)
            order += sorted.index(row, 0).data().toString();
        QCOMPARE(order, QStringLiteral("adbc"));
    }

    void headsSortByTheirNumbers() {
        NumberTable table({{QStringLiteral("head"), QString(), 0, 0.0}});
        table.setRows(
            {{QStringLiteral("L10 H2")}, {QStringLiteral("L2 H11")}, {QStringLiteral("L2 H3")}});
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(&table);
        sorted.setSortRole(NumberTable::kSortRole);
        sorted.sort(0);
        QCOMPARE(sorted.index(0, 0).data().toString(), QStringLiteral("L2 H3"));
        QCOMPARE(sorted.index(2, 0).data().toString(), QStringLiteral("L10 H2"));
    }

    void barsAreSharesOfTheLargest() {
        QObject parent;
        const NumberTable* table = filled(&parent);
        QCOMPARE(table->index(0, 1).data(NumberTable::kBarRole).toDouble(), 1.0);
        QCOMPARE(table->index(1, 1).data(NumberTable::kBarRole).toDouble(), -0.913);
        QVERIFY(!table->index(2, 1).data(NumberTable::kBarRole).isValid());
        QVERIFY(!table->index(0, 0).data(NumberTable::kBarRole).isValid());
        const NumberTable* fixed = filled(&parent, 5.0);
        QCOMPARE(fixed->index(3, 1).data(NumberTable::kBarRole).toDouble(), 0.5);
        QCOMPARE(fixed->index(0, 1).data(NumberTable::kBarRole).toDouble(), 1.0);
    }
};

const headscope::test::TestRegistration<TestNumberTable> registration;

} // namespace test_number_table

#include "test_number_table.moc"
