// A core table as the window shows it.

#include "tests/support/runner.h"
#include "ui/tables/number_table.h"

#include <QSortFilterProxyModel>
#include <QTest>

namespace test_shown_table {

using namespace headscope;
using namespace headscope::ui;

namespace {

Table someTable() {
    Table table;
    table.columns = {{.key = "pooling", .title = "pooled by"},
                     {.key = "kv_heads", .title = "KV heads", .meaning = "Of a layer"},
                     {.key = "hidden"},
                     {.key = "loss", .title = "loss", .decimals = 2, .unit = "nats"}};
    table.rows = {{"mean", std::size_t{12}, "x", 1.256}, {"whole", std::size_t{8}, "y", -2.0f}};
    return table;
}

} // namespace

class TestShownTable : public QObject {
    Q_OBJECT

private slots:
    void columnsWithATitleAreShown() {
        const auto columns = shownColumns(someTable().columns);
        QCOMPARE(columns.size(), 3);
        QCOMPARE(columns[1].name, QStringLiteral("KV heads"));
        QCOMPARE(columns[1].tip, QStringLiteral("Of a layer"));
        QCOMPARE(columns[2].name, QStringLiteral("loss, nats"));
    }

    void countsHaveNoDecimalsAndSortAsNumbers() {
        NumberTable shown(shownColumns(someTable().columns));
        shown.setRows(shownRows(someTable()));
        QCOMPARE(shown.index(0, 0).data().toString(), QStringLiteral("mean"));
        QCOMPARE(shown.index(0, 1).data().toString(), QStringLiteral("12"));
        QCOMPARE(shown.index(0, 2).data().toString(), QStringLiteral("1.26"));
        QCOMPARE(shown.index(1, 2).data().toString(), QStringLiteral("−2.00"));
        QSortFilterProxyModel sorted;
        sorted.setSourceModel(&shown);
        sorted.setSortRole(NumberTable::kSortRole);
        sorted.sort(1);
        QCOMPARE(sorted.index(0, 1).data().toString(), QStringLiteral("8"));
    }
};

const headscope::test::TestRegistration<TestShownTable> registration;

} // namespace test_shown_table

#include "test_shown_table.moc"
