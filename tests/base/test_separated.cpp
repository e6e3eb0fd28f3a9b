#include "core/base/separated.h"
#include "tests/support/runner.h"

#include <QTest>

namespace test_separated {

using namespace headscope;

namespace {

/// "1: a|b" for each row, with the line in which it begins.
QString described(std::string_view text, char separator = ',') {
    const auto rows = readSeparated(text, separator);
    if (!rows)
        return QString::fromStdString(rows.error().message);
    QStringList lines;
    for (const SeparatedRow& row : *rows) {
        QStringList cells;
        for (const std::string& cell : row.cells)
            cells << QString::fromStdString(cell);
        lines << QStringLiteral("%1: %2").arg(row.line).arg(cells.join(QLatin1Char('|')));
    }
    return lines.join(QStringLiteral("; "));
}

} // namespace

/// The rows of RFC 4180, and what is none.
class TestSeparated : public QObject {
    Q_OBJECT

private slots:
    void rows_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* text, const char* expected) {
            QTest::newRow(name) << QByteArray(text) << QString::fromUtf8(expected);
        };
        row("plain", "a,b\nc,d\n", "1: a|b; 2: c|d");
        row("no line end at the end", "a,b", "1: a|b");
        row("line ends of Windows", "a,b\r\nc,d\r\n", "1: a|b; 2: c|d");
        row("empty cells", "a,,b\n,\n", "1: a||b; 2: |");
        row("empty lines", "\n\na\n\nb\n", "3: a; 5: b");
        row("a separator inside", "\"a,b\",c", "1: a,b|c");
        row("a line end inside", "x,\"a\nb\"\ny,z", "1: x|a\nb; 3: y|z");
        row("quotation marks inside", "\"he said \"\"no\"\"\",b", "1: he said \"no\"|b");
        row("a quotation mark in a plain cell", "5\" disk,b", "1: 5\" disk|b");
        row("an empty cell in marks", "\"\",b", "1: |b");
        row("never closed", "a\nb,\"c\nd", "the quotation mark in line 2 is never closed");
        row("followed", "\"a\"b",
            "in line 1 something follows the quotation mark that closes a cell");
        row("nothing", "", "");
    }

    void rows() {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QCOMPARE(described(text.toStdString()), expected);
    }

    void tabs() { QCOMPARE(described("a, b\tc\n", '\t'), QStringLiteral("1: a, b|c")); }
};

const headscope::test::TestRegistration<TestSeparated> registration;

} // namespace test_separated

#include "test_separated.moc"
