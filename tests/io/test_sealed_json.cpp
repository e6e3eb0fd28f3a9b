#include "core/io/sealed_json.h"
#include "tests/io/io_files.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <string>

namespace test_sealed_json {

using namespace headscope;
using namespace headscope::test;

/// JSON of strangers, from text to values.
class TestSealedJson : public QObject {
    Q_OBJECT

private slots:
    void readsJson() {
        const auto document = readForeignJson(R"({"a": [1, -2, 0.5, "ü", null], "n": NaN})");
        QVERIFY2(document, document ? "" : document.error().message.c_str());
        QCOMPARE(document->root().dump(), std::string(R"({"a":[1,-2,0.5,"ü",null],"n":"NaN"})"));
        const std::string large =
            "[" + std::string(3'000'000, ' ') + "\"" + std::string(3'000'000, 'x') + "\"]";
        const auto read = readForeignJson(large);
        QVERIFY(read);
        QCOMPARE(read->root().element(0).text()->size(), 3'000'000u);
    }

    /// One reader for all, each with its own answer.
    void readsManyTexts() {
        const auto documents = readForeignJsons({"[1]", "[", "", R"({"a": {}})"});
        QCOMPARE(documents.size(), 4u);
        QCOMPARE(documents[0]->root().dump(), std::string("[1]"));
        QCOMPARE(documents[1].error().message, std::string("is not valid JSON at byte 2"));
        QCOMPARE(documents[2].error().message, std::string("is not valid JSON at byte 1"));
        QCOMPARE(documents[3]->root().dump(), std::string(R"({"a":{}})"));
        QVERIFY(readForeignJsons({}).empty());
    }

    /// As JsonDocument::parse() says it.
    void refusesJson_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* text, const char* reason) {
            QTest::newRow(reason) << QByteArray(text) << QByteArray(reason);
        };
        row("", "is not valid JSON at byte 1");
        row("{\"a\": \"\xFF\"}", "is not valid JSON at byte 8");
        row(R"({"a": 1e999})", "holds a number that is out of range");
        row(R"({"a": 1, "a": 1})", "has the key 'a' twice");
        row("[[[1]]]", "is nested more than 2 deep");
        row("[1,1,1,1,1,1]", "holds more than 5 values");
    }
    void refusesJson() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, reason);
        const JsonLimits limits{.depth = 2, .values = 5, .unique_keys = true};
        const auto document = readForeignJson(text.toStdString(), limits);
        QVERIFY(!document);
        QCOMPARE(document.error().code, ErrorCode::Malformed);
        QCOMPARE(document.error().message, reason.toStdString());
        QCOMPARE(JsonDocument::parse(text.toStdString(), limits).error().message,
                 reason.toStdString());
    }

    void jsonLargerThanItsRoom() {
        std::string text = "[";
        for (int i = 0; i < 3'000'000; ++i)
            text += "1,";
        text += "1]";
        const auto refused = readForeignJson(text);
        QVERIFY(!refused);
        QCOMPARE(refused.error().message,
                 std::string("holds more values than its size has room for"));
        const auto read = readForeignJson(text, {.room = std::size_t{256} << 20});
        QVERIFY2(read, read ? "" : read.error().message.c_str());
        QCOMPARE(read->root().size(), 3'000'001u);
    }

    void longKeysAreShortened() {
        const std::string key = "\"" + std::string(100'000, 'k') + "\":1";
        const auto document = readForeignJson("{" + key + "," + key + "}", {.unique_keys = true});
        QVERIFY(!document);
        QVERIFY2(mentions(document.error(), "has the key 'kkk"), document.error().message.c_str());
        QVERIFY(document.error().message.size() < 500);
    }
};

const headscope::test::TestRegistration<TestSealedJson> registration;

} // namespace test_sealed_json

#include "test_sealed_json.moc"
