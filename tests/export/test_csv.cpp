#include "core/export/formats/text_arrays.h"
#include "core/export/table_files.h"
#include "tests/export/sample_arrays.h"
#include "tests/support/runner.h"

#include <QTest>

#include <sstream>

namespace test_csv {

using namespace headscope;

class TestCsv : public QObject {
    Q_OBJECT

private slots:
    /// RFC 4180, section 2.
    void cellsAreQuotedWhereNeeded_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("cell");
        const auto row = [](const char* name, const std::string& text, const std::string& cell) {
            QTest::newRow(name) << text << cell;
        };
        row("plain", "a b", "a b");
        row("empty", "", "");
        row("comma", "a,b", "\"a,b\"");
        row("quote", "a\"b", "\"a\"\"b\"");
        row("line feed", "a\nb", "\"a\nb\"");
        row("carriage return", "a\rb", "\"a\rb\"");
        // Spreadsheets compute what begins so.
        row("formula", "=1+1", "'=1+1");
        row("formula with a comma", "=HYPERLINK(\"x\",1)", "\"'=HYPERLINK(\"\"x\"\",1)\"");
        row("plus", "+SUM(A1)", "'+SUM(A1)");
        row("minus", "-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0");
        row("minus alone", "-", "'-");
        row("at", "@SUM(A1)", "'@SUM(A1)");
        row("tab", "\t=1", "'\t=1");
        row("line break before it", "\r=1", "\"'\r=1\"");
        row("inside", "a=1", "a=1");
        row("negative number", "-0.5", "-0.5");
        row("exponent", "-1e-20", "-1e-20");
        row("infinity", "-inf", "-inf");
        row("numbers", "-0.5 -2 3", "-0.5 -2 3");
        row("number and formula", "-1 =1", "'-1 =1");
        row("number with plus", "+0.5", "+0.5");
        row("percentage", "+3.5 %", "+3.5 %");
        row("two signs", "+-SUM(A1)", "'+-SUM(A1)");
    }
    void cellsAreQuotedWhereNeeded() {
        QFETCH(std::string, text);
        QFETCH(std::string, cell);
        QCOMPARE(csvCell(text), cell);
    }

    void pastedRowsComputeNothing() {
        QCOMPARE(tabRow({"L4 H1", "=1+1", "-0.5", "a\t=2\r\n@c", "\n=3", "\"=4\""}),
                 std::string("L4 H1\t'=1+1\t-0.5\ta =2  @c\t' =3\t\"\"\"=4\"\"\""));
    }

    void matrixHasTokensOnBothAxes() {
        std::ostringstream out;
        writeCsvMatrix(out, test::sampleMatrix(), test::sampleProvenance().pieces);
        QCOMPARE(QByteArray::fromStdString(out.str()),
                 QByteArray("query / key,\"0 Hi,\",\"1 ·\"\"you\"\"\"\n"
                            "\"0 Hi,\",1,0\n"
                            "\"1 ·\"\"you\"\"\",0.25,0.75\n"));
    }

    void longFormHasOneNumberPerRow() {
        std::ostringstream out;
        writeCsvLong(out, std::vector{test::sampleTensor(), test::sampleIds()});
        QCOMPARE(QByteArray::fromStdString(out.str()),
                 QByteArray("array,index_0,index_1,index_2,value\n"
                            "blocks.0.hook_x,0,0,0,0.1\n"
                            "blocks.0.hook_x,0,0,1,-2\n"
                            "blocks.0.hook_x,0,0,2,1e-20\n"
                            "blocks.0.hook_x,1,0,0,nan\n"
                            "blocks.0.hook_x,1,0,1,inf\n"
                            "blocks.0.hook_x,1,0,2,-inf\n"
                            "input_ids,0,,,7\n"
                            "input_ids,1,,,300\n"));
    }
};

const headscope::test::TestRegistration<TestCsv> registration;

} // namespace test_csv

#include "test_csv.moc"
