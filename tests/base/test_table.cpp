#include "core/base/table.h"
#include "tests/support/runner.h"
#include "tests/support/sanitizer.h"

#include <QTest>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <new>

namespace test_table {

using namespace headscope;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two layers by three positions, without the last cell.
Table longTable() {
    Table table;
    table.caption = "what it is";
    table.columns = {{.key = "layer", .title = "layer"},
                     {.key = "position", .title = "position"},
                     {.key = "value", .title = "value", .decimals = 1}};
    for (int layer = 0; layer < 2; ++layer)
        for (int position = 0; position < 3 - layer; ++position)
            table.rows.push_back(
                {layer, "at " + std::to_string(position), 10.0 * layer + position});
    return table;
}

} // namespace

class TestTable : public QObject {
    Q_OBJECT

private slots:
    void valuesAreWrittenForFilesAndForPeople() {
        const Value third(1.0 / 3.0);
        QCOMPARE(plainText(third), std::string("0.3333333333333333"));
        QCOMPARE(shownText(third, 3), std::string("0.333"));
        QCOMPARE(plainText(0.1f), std::string("0.1"));
        QCOMPARE(plainText(kNan), std::string("nan"));
        QCOMPARE(shownText(kNan, 3), std::string("–"));
        QCOMPARE(shownText(7, 3), std::string("7"));
        QCOMPARE(plainText(LayerHead{4, 1}), std::string("4.1"));
        QCOMPARE(plainText(Value()), std::string());
        QCOMPARE(plainText(std::optional<int>()), std::string());
        QCOMPARE(plainText(std::optional<int>(5)), std::string("5"));
        const std::vector<LayerHead> heads{{4, 1}, {5, 0}};
        QCOMPARE(plainText(listOf(heads)), std::string("4.1 5.0"));
        QCOMPARE(shownText(List{0.25, "x"}, 1), std::string("0.2 x"));
        QCOMPARE(plainText(Record{{"a", 1}}), std::string());
        QCOMPARE(plainText(unlessEmpty("")), std::string());
    }

    /// In a process of its own, which gets no more memory.
    void aCopyThatDoesNotFitThrows() {
        if (headscope::test::isSanitized())
            QSKIP("the sanitizer itself needs memory");
        constexpr std::size_t kMoreThanIsLeft = std::size_t{64} << 20;
        const pid_t child = ::fork();
        if (child == 0) {
            const List values{1, std::string(kMoreThanIsLeft, 'x')};
            const rlimit none{1, 1};
            ::setrlimit(RLIMIT_AS, &none);
            try {
                const List copy = values;
                ::_exit(copy.empty() ? 1 : 2);
            } catch (const std::bad_alloc&) {
                ::_exit(0);
            }
        }
        int ended = -1;
        QCOMPARE(::waitpid(child, &ended, 0), child);
        QVERIFY2(WIFEXITED(ended), "the copy ended the program");
        QCOMPARE(WEXITSTATUS(ended), 0);
    }

    void headingsNameTheUnit() {
        QCOMPARE(headingText({.key = "kl", .title = "KL", .unit = "nats"}),
                 std::string("KL, nats"));
        QCOMPARE(headingText({.key = "rank", .title = "rank"}), std::string("rank"));
    }

    void theStrongestComeFirst() {
        Table table;
        table.columns = {{.key = "name"}, {.key = "value"}};
        table.rows = {{"a", 1.0}, {"b", -3.0}, {"c", 2.0}, {"d", -1.0}};
        std::string order;
        for (const TableRow& row : strongestFirst(table, "value").rows)
            order += plainText(row[0]);
        QCOMPARE(order, std::string("bcad"));
    }

    void pivotMakesARowOfEachLayer() {
        constexpr std::array<std::string_view, 1> by{"layer"};
        const Table grid = pivot(longTable(), by, "position", "value");
        QCOMPARE(grid.caption, std::string("what it is"));
        QCOMPARE(grid.columns.size(), 4u);
        QCOMPARE(grid.columns[0].title, std::string("layer"));
        QCOMPARE(grid.columns[3].title, std::string("at 2"));
        QCOMPARE(grid.columns[3].decimals, 1);
        QCOMPARE(grid.rows.size(), 2u);
        QCOMPARE(plainText(grid.rows[0]), std::string("0 0 1 2"));
        QCOMPARE(grid.rows[1].size(), 4u);
        QCOMPARE(plainText(grid.rows[1]), std::string("1 10 11 "));
    }
};

const headscope::test::TestRegistration<TestTable> registration;

} // namespace test_table

#include "test_table.moc"
