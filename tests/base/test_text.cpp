#include "core/base/text.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <cmath>
#include <limits>

namespace test_text {

using namespace headscope;

class TestText : public QObject {
    Q_OBJECT

private slots:
    void shapes() {
        QCOMPARE(shapeText({}), std::string("[]"));
        QCOMPARE(shapeText(std::vector<std::size_t>{7}), std::string("[7]"));
        QCOMPARE(shapeText(std::vector<std::size_t>{12, 768}), std::string("[12, 768]"));
    }

    void bytes_data() {
        QTest::addColumn<quint64>("bytes");
        QTest::addColumn<QString>("expected");

        QTest::newRow("none") << quint64{0} << "0 B";
        QTest::newRow("last without a unit prefix") << quint64{999} << "999 B";
        QTest::newRow("first kilobyte") << quint64{1000} << "1.00 kB";
        QTest::newRow("two decimals") << quint64{1'500'000} << "1.50 MB";
        QTest::newRow("last with two decimals") << quint64{9994} << "9.99 kB";
        QTest::newRow("first with one decimal") << quint64{9995} << "10.0 kB";
        QTest::newRow("first without decimals") << quint64{99'950} << "100 kB";
        QTest::newRow("last before the next unit") << quint64{999'499} << "999 kB";
        QTest::newRow("rounds into the next unit") << quint64{999'500} << "1.00 MB";
        QTest::newRow("largest") << std::numeric_limits<quint64>::max() << "18447 PB";
    }

    void bytes() {
        QFETCH(quint64, bytes);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(byteText(bytes)), expected);
    }

    void numbersAreTheShortestThatReadBack() {
        QCOMPARE(numberText(0.1), std::string("0.1"));
        QCOMPARE(numberText(0.1f), std::string("0.1"));
        QCOMPARE(numberText(1.0 / 3.0), std::string("0.3333333333333333"));
        QCOMPARE(numberText(1.0f / 3.0f), std::string("0.33333334"));
        QCOMPARE(numberText(1e-7), std::string("1e-07"));
        QCOMPARE(numberText(-0.0), std::string("-0"));
        QCOMPARE(numberText(std::nan("")), std::string("nan"));
        QCOMPARE(numberText(-std::nan("")), std::string("nan"));
        QCOMPARE(numberText(-std::numeric_limits<float>::infinity()), std::string("-inf"));
    }

    void wholeNumbersAreRead() {
        QCOMPARE(parseNumber<int>("-12"), std::optional(-12));
        QCOMPARE(parseNumber<std::size_t>("007"), std::optional(std::size_t{7}));
        for (const char* text : {"", " 1", "1 ", "+1", "1.5", "0x1", "one", "2147483648"})
            QVERIFY2(!parseNumber<int>(text), text);
        QVERIFY(!parseNumber<std::size_t>("-1"));
    }

    void replacesFromLeftToRight() {
        QCOMPARE(replaceAll("aaa", "aa", "a"), std::string("aa"));
        QCOMPARE(replaceAll("a b c", " ", "  "), std::string("a  b  c"));
        QCOMPARE(replaceAll("", "x", "y"), std::string());
    }

    void decimalsAreFixed() {
        QCOMPARE(fixedText(2.0, 3), std::string("2.000"));
        QCOMPARE(fixedText(-0.126, 2), std::string("-0.13"));
        QCOMPARE(fixedText(1e20, 0), std::string("100000000000000000000"));
        QCOMPARE(fixedText(std::nan(""), 2), std::string("nan"));
        QCOMPARE(fixedText(std::numeric_limits<double>::max(), 2).size(), std::size_t{312});
    }

    void splitKeepsEmptyParts() {
        const std::vector<std::string> middle{"4.1", "", "4.2"};
        const std::vector<std::string> nothing{""};
        const std::vector<std::string> ends{"", "a", ""};
        QCOMPARE(split("4.1,,4.2", ','), middle);
        QCOMPARE(split("", ','), nothing);
        QCOMPARE(split(",a,", ','), ends);
    }

    void joinUndoesSplit() {
        QCOMPARE(join({}, ", "), std::string());
        QCOMPARE(join(std::vector<std::string>{"one"}, ", "), std::string("one"));
        QCOMPARE(join(split("blocks.3.attn", '.'), "."), std::string("blocks.3.attn"));
        QCOMPARE(join(std::vector<std::string>{"", ""}, "+"), std::string("+"));
    }
};

const headscope::test::TestRegistration<TestText> registration;

} // namespace test_text

#include "test_text.moc"
