#include "core/base/json_bytes.h"
#include "tests/support/runner.h"

#include <QByteArray>
#include <QObject>
#include <QTest>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace test_json_bytes {

using namespace headscope;

namespace {

std::optional<JsonDocument> decoded(const QByteArray& bytes, const JsonLimits& limits = {},
                                    std::size_t text_bytes = 1000) {
    return decodeJson(std::as_bytes(std::span(bytes.data(), std::size_t(bytes.size()))), limits,
                      text_bytes);
}

} // namespace

class TestJsonBytes : public QObject {
    Q_OBJECT

private slots:
    void everyValueArrives() {
        const std::string text =
            R"({"":[],"a":[0,1,127,128,18446744073709551615,-1,-128,-9223372036854775808,-0],)"
            R"("b":{"c":null,"d":true,"e":false},"f":[0.1,-1e+300,0.0,-0.0],)"
            R"("g":"naïve\u0000😀","h":{}})";
        for (const std::string& each : {text, std::string("7"), std::string(R"(["NaN", NaN])")}) {
            const auto document = JsonDocument::parse(each);
            const auto bytes = encodeJson(each);
            QVERIFY2(document && bytes, each.c_str());
            const auto arrived = decodeJson(*bytes, {}, each.size());
            QVERIFY(arrived);
            QVERIFY(arrived->root().json() == document->root().json());
            QCOMPARE(arrived->root().dump(), document->root().dump());
            for (std::size_t length = 0; length < bytes->size(); ++length)
                QVERIFY(!decodeJson(std::span(*bytes).first(length), {}, each.size()));
        }
    }

    /// A whole number is one after the way, and so is a negative one, and a number with a fraction.
    void kindsOfNumbersArrive() {
        const auto arrived = decodeJson(*encodeJson("[128, -1, 2.0, -0]"), {}, 20);
        QVERIFY(arrived);
        QVERIFY(arrived->root().element(0).whole() == 128U);
        QVERIFY(arrived->root().element(1).isInteger() && !arrived->root().element(1).whole());
        QVERIFY(!arrived->root().element(2).isInteger());
        QVERIFY(!arrived->root().element(3).whole()); // as after parse()
    }

    void deepTexts() {
        constexpr std::size_t depth = 100'000;
        const std::string text = std::string(depth, '[') + std::string(depth, ']');
        const auto bytes = *encodeJson(text);
        QVERIFY(decodeJson(bytes, {.depth = depth}, text.size()));
        QVERIFY(!decodeJson(bytes, {.depth = depth - 1}, text.size()));
    }

    /// What parse() takes under some limits arrives under them, and no more does.
    void limitsOfTheText() {
        const std::string text = R"([[1,2,3],{"a":"x","b":[5,NaN]}])";
        const auto bytes = *encodeJson(text);
        for (const std::size_t values : {0U, 4U, 7U, 8U, 20U}) {
            const JsonLimits limits{.values = values};
            QCOMPARE(decodeJson(bytes, limits, text.size()).has_value(),
                     static_cast<bool>(JsonDocument::parse(text, limits)));
        }
        for (std::size_t room = 8 << 20; room < (8 << 20) + 1200; room += 7) {
            const JsonLimits limits{.room = room};
            QCOMPARE(decodeJson(bytes, limits, text.size()).has_value(),
                     static_cast<bool>(JsonDocument::parse(text, limits)));
        }
    }

    /// What parse() refuses is refused with its words, and of a key twice the last one stays.
    void asParseHasIt() {
        const JsonLimits limits{.depth = 2, .values = 5, .unique_keys = true};
        for (const char* const text :
             {"", "{\"a\": \"\xFF\"}", "[1e999]", R"({"a": 1, "a": 1})", "[[[1]]]", "[1,1,1,1,1,1]",
              "[NaN NaN]", "[1", "{\"a\" 1}"}) {
            const auto refused = encodeJson(text, limits);
            QVERIFY2(!refused, text);
            QCOMPARE(refused.error().message, JsonDocument::parse(text, limits).error().message);
        }
        const std::string twice = R"({"b": 1, "a": [1], "b": null})";
        QCOMPARE(decodeJson(*encodeJson(twice), {}, twice.size())->root().dump(),
                 JsonDocument::parse(twice)->root().dump());
    }

    void refusesBytes_data() {
        QTest::addColumn<QByteArray>("bytes");
        const auto row = [](const char* name, QByteArray bytes) {
            QTest::newRow(name) << std::move(bytes);
        };
        row("nothing", "");
        row("unknown kind", "\x0A");
        row("end of nothing", "\x09");
        row("array without an end", QByteArray("\x07\x00", 2));
        row("something after it", QByteArray("\0\0", 2));
        row("text that is not UTF-8", "\x06\x01\xFF");
        row("text longer than all", "\x06\x7Fx");
        row("key that is not UTF-8", "\x08\x06\x01\xFF\x01\x09");
        row("key without a value", "\x08\x06\x01"
                                   "a\x09");
        row("key that is no text", "\x08\x01\x01\x09");
        row("number without an end", "\x03" + QByteArray(11, '\xFF'));
        row("NaN", "\x05" + QByteArray(8, '\xFF'));
        row("infinity", QByteArray("\x05\x00\x00\x00\x00\x00\x00\xF0\x7F", 9));
        row("more values than allowed", "\x07" + QByteArray(100, '\x01') + "\x09");
    }
    void refusesBytes() {
        QFETCH(QByteArray, bytes);
        QVERIFY(!decoded(bytes, {.values = 50}));
    }
};

const headscope::test::TestRegistration<TestJsonBytes> registration;

} // namespace test_json_bytes

#include "test_json_bytes.moc"
