#include "core/base/json.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

namespace test_json {

using namespace headscope;

class TestJson : public QObject {
    Q_OBJECT

    static constexpr JsonLimits kLimits{.depth = 3, .values = 20, .unique_keys = true};

private slots:
    void getters() {
        const auto document = JsonDocument::parse(
            R"({"a": {"b": [1, 2.5, -3]}, "c": "é", "d": null, "e": false, "a": {"b": [7]}})");
        QVERIFY2(document, document ? "" : document.error().message.c_str());
        const JsonValue root = document->root();
        QVERIFY(root.isObject() && root.size() == 4);
        QCOMPARE(root.members().back().key, std::string_view("e"));
        QVERIFY(root.members().back().value.boolean() == false);
        QCOMPARE(*root.member("c").text(), std::string("é"));
        QVERIFY(root.member("d").isNull() && root.find("d"));
        QVERIFY(root.member("x").isNull() && !root.find("x"));
        QVERIFY(!root.member("c").find("x") && root.member("c").members().empty());
        const JsonValue last = root.member("a").member("b"); // of two equal keys the last
        QVERIFY(last.isArray() && last.size() == 1);
        QCOMPARE(last.element(0).whole().value(), 7u);
    }

    /// As Python writes them.
    void constantsThatAreNoJsonAreTexts() {
        const auto document = JsonDocument::parse(
            "{\"a\": [0.0, Infinity], \"b\": -Infinity, \"c\": NaN, \"d\": \"a \\\" NaN\"}");
        QVERIFY2(document, document ? "" : document.error().message.c_str());
        const JsonValue root = document->root();
        QCOMPARE(*root.member("a").element(1).text(), std::string("Infinity"));
        QCOMPARE(*root.member("b").text(), std::string("-Infinity"));
        QVERIFY(*root.member("c").text() == "NaN" && !root.member("c").number());
        QCOMPARE(*root.member("d").text(), std::string("a \" NaN"));
        QVERIFY(!JsonDocument::parse("[Infinity"));
        QVERIFY(!JsonDocument::parse("[Infinit]") && !JsonDocument::parse("[NaN NaN]"));
    }

    /// What a document may take is eight times its text, and 64 MB.
    void manySmallValuesAreRefused_data() {
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("arrays") << QByteArray("[],");
        QTest::newRow("objects") << QByteArray("{},");
        QTest::newRow("members") << QByteArray("{\"\":{}},");
        QTest::newRow("numbers") << QByteArray("0,");
        QTest::newRow("texts") << QByteArray("\"\",");
    }
    void manySmallValuesAreRefused() {
        QFETCH(QByteArray, value);
        const auto read = [&](qsizetype bytes) {
            return JsonDocument::parse('[' + value.repeated(bytes / value.size()).toStdString() +
                                       "0]");
        };
        QVERIFY(read(500'000));
        const auto refused = read(8'000'000);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("holds more values than its size has room for"));
    }

    /// Where values are as long as those that programs write, there may be as many.
    void manyValuesAreRead() {
        std::string text = "[";
        for (int i = 0; i < 1'300'000; ++i)
            text += "0.1234,";
        QVERIFY(JsonDocument::parse(text + "0]"));
    }

    void numbers() {
        const auto document = JsonDocument::parse(R"([1, 2.5, -3, 99999999999999999999, "4"])");
        const auto values = document->root().elements();
        QCOMPARE(values.size(), 5u);
        const std::vector<bool> whole{true, false, false, false, false};
        const std::vector<bool> integer{true, false, true, false, false};
        for (std::size_t i = 0; i < values.size(); ++i) {
            QCOMPARE(values[i].whole().has_value(), bool(whole[i]));
            QCOMPARE(values[i].isInteger(), bool(integer[i]));
            QCOMPARE(values[i].number().has_value(), i < 4);
        }
        QCOMPARE(values[1].number().value(), 2.5);
        QCOMPARE(values[2].number().value(), -3.0);
    }

    void shown() {
        const auto document = JsonDocument::parse(
            R"(["short", "0123456789012345678901234567890123456é89, and more", [1], {}, 2.5, "\n"])");
        const auto values = document->root().elements();
        QCOMPARE(values[0].shown(), std::string("\"short\""));
        QCOMPARE(values[1].shown(), std::string("\"0123456789012345678901234567890123456é89…\""));
        QCOMPARE(values[2].shown(), std::string("an array"));
        QCOMPARE(values[3].shown(), std::string("an object"));
        QCOMPARE(values[4].shown(), std::string("2.5"));
        QCOMPARE(values[5].shown(), std::string("\"\\n\""));
        QCOMPARE(values[2].dump(), std::string("[1]"));
    }

    void refuses_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* text, const char* reason) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(reason);
        };
        row("nothing", "", "is not valid JSON at byte 1");
        row("cut short", R"({"a": )", "is not valid JSON at byte 7");
        row("text after it", R"({} {})", "is not valid JSON at byte 4");
        row("bytes that are not UTF-8", "{\"a\": \"\xFF\"}", "is not valid JSON at byte 8");
        row("half of a surrogate pair", R"({"a": "\ud800"})", "is not valid JSON at byte 14");
        row("comment", "{} // and so on", "is not valid JSON at byte 4");
        row("huge number", R"({"a": 1e999})", "holds a number that is out of range");
        row("key twice", R"({"a": 1, "b": 2, "a": 1})", "has the key 'a' twice");
        row("key twice inside", R"({"x": {"a": 1, "\u0061": 2}})", "has the key 'a' twice");
        row("deep", R"({"a": [[[1]]]})", "is nested more than 3 deep");
        row("deep behind a quotation mark", "{\"\\\"\": [[[1]]]}", "is nested more than 3 deep");
        row("many values", "{\"a\": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}",
            "holds more than 20 values");
    }
    void refuses() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, reason);
        const auto json = JsonDocument::parse(text.toStdString(), kLimits);
        QVERIFY(!json);
        QCOMPARE(json.error().code, ErrorCode::Malformed);
        QCOMPARE(json.error().message, reason.toStdString());
    }

    void textsDoNotCount() {
        QVERIFY(
            JsonDocument::parse("{\"[[[[[\": \",,,,,,,,,,,,,,,,,,,,,,,,,,\\\"{{{{{\"}", kLimits));
    }

    void depthBombEndsSoon() {
        const std::string bomb(10'000'000, '[');
        QVERIFY(!JsonDocument::parse(bomb, kLimits));
        QVERIFY(!JsonDocument::parse("{\"a\":" + bomb, kLimits));
    }
};

const headscope::test::TestRegistration<TestJson> registration;

} // namespace test_json

#include "test_json.moc"
