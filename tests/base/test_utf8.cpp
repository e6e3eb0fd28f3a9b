#include "core/base/utf8.h"
#include "tests/support/runner.h"

#include <QByteArray>
#include <QObject>
#include <QTest>

#include <optional>
#include <string_view>

namespace test_utf8 {

using namespace headscope;

namespace {

constexpr qint64 kValid = -1;

} // namespace

class TestUtf8 : public QObject {
    Q_OBJECT

private slots:
    void firstInvalidByte_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("expected");

        QTest::newRow("empty") << QByteArray("") << kValid;
        QTest::newRow("ASCII with a null byte") << QByteArray("a\0b", 3) << kValid;
        QTest::newRow("2, 3 and 4 bytes")
            << QByteArray("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80") << kValid;
        QTest::newRow("last before the surrogates") << QByteArray("\xED\x9F\xBF") << kValid;
        QTest::newRow("first after the surrogates") << QByteArray("\xEE\x80\x80") << kValid;
        QTest::newRow("last code point, U+10FFFF") << QByteArray("\xF4\x8F\xBF\xBF") << kValid;
        QTest::newRow("beyond U+10FFFF") << QByteArray("\xF4\x90\x80\x80") << qint64{0};
        QTest::newRow("continuation byte alone") << QByteArray("ab\x80") << qint64{2};
        QTest::newRow("Latin-1") << QByteArray("caf\xE9 au lait") << qint64{3};
        QTest::newRow("cut off at the end") << QByteArray("a\xE2\x82") << qint64{1};
        QTest::newRow("wrong continuation") << QByteArray("a\xE2\x82z") << qint64{1};
        QTest::newRow("overlong in 2 bytes") << QByteArray("\xC0\xAF") << qint64{0};
        QTest::newRow("overlong in 3 bytes") << QByteArray("\xE0\x9F\xBF") << qint64{0};
        QTest::newRow("overlong in 4 bytes") << QByteArray("\xF0\x8F\xBF\xBF") << qint64{0};
        QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << qint64{0};
        QTest::newRow("byte that starts nothing") << QByteArray("ok\xFF") << qint64{2};
    }

    void firstInvalidByte() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, expected);
        const std::size_t found =
            firstInvalidUtf8({text.constData(), static_cast<std::size_t>(text.size())});
        QCOMPARE(static_cast<qint64>(found), expected);
    }

    void decodesTheFirstCharacter() {
        const auto is = [](std::string_view bytes, std::optional<char32_t> code_point,
                           std::size_t length) {
            const DecodedCharacter first = decodeCharacter(bytes);
            return first.code_point == code_point && first.bytes == length;
        };
        QVERIFY(is("az", U'a', 1));
        QVERIFY(is(std::string_view("\0a", 2), U'\0', 1));
        QVERIFY(is("\xC3\xA9z", U'é', 2));
        QVERIFY(is("\xE2\x82\xAC", U'€', 3));
        QVERIFY(is("\xF0\x9F\x98\x80\x80", U'\U0001F600', 4));
        QVERIFY(is("\xE2\x82", std::nullopt, 1));
        QVERIFY(is("\x80z", std::nullopt, 1));
        QVERIFY(is("\xFFz", std::nullopt, 1));
    }

    void firstCharactersOfAText() {
        QCOMPARE(firstCharacters("a\xC3\xA9z", 2), std::string_view("a\xC3\xA9"));
        QCOMPARE(firstCharacters("a\xC3\xA9z", 3), std::string_view("a\xC3\xA9z"));
        QCOMPARE(firstCharacters("a", 5), std::string_view("a"));
        QCOMPARE(firstCharacters("", 5), std::string_view());
    }

    void neverLooksBeyondTheEnd() {
        const std::string_view euro = "a\xE2\x82\xAC";
        QCOMPARE(firstInvalidUtf8(euro.substr(0, 3)), std::size_t{1});
    }
};

const headscope::test::TestRegistration<TestUtf8> registration;

} // namespace test_utf8

#include "test_utf8.moc"
