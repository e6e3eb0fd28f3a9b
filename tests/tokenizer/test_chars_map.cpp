#include "core/tokenizer/normalizers/chars_map.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

#include <cstdint>

namespace test_chars_map {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

namespace {

/// A cell of the trie: the byte that leads to it, where its children are from it, and whether a
/// value is among them.
quint32 unit(unsigned label, quint32 offset, bool has_leaf) {
    return label | offset << 10 | (has_leaf ? 0x100u : 0u);
}

/// Replaces "a" by the text at `value` of `replacements`. The children of the root are at 256,
/// those of "a" at 512.
struct SmallMap {
    std::vector<quint32> units = std::vector<quint32>(1024);
    QByteArray replacements = QByteArray("b\0cd\0", 5);

    explicit SmallMap(quint32 value = 2) {
        units[0] = unit(0, 256, false);
        units[256 ^ 'a'] = unit('a', (256 ^ 'a') ^ 512, true);
        units[512] = value | 0x80000000u;
    }

    QByteArray bytes() const {
        const auto size = quint32(units.size() * sizeof(quint32));
        return QByteArray(reinterpret_cast<const char*>(&size), sizeof size) +
               QByteArray(reinterpret_cast<const char*>(units.data()), qsizetype(size)) +
               replacements;
    }
};

Result<CharsMap> parse(const QByteArray& bytes) {
    return CharsMap::parse({bytes.data(), std::size_t(bytes.size())});
}

} // namespace

/// The normalization of sentencepiece models, and those that would lead a lookup astray.
class TestCharsMap : public QObject {
    Q_OBJECT

private slots:
    void finds();
    void refused_data();
    void refused();
    void notBase64();
};

void TestCharsMap::finds() {
    const auto map = parse(SmallMap().bytes());
    QVERIFY2(map, map ? "" : map.error().message.c_str());
    QCOMPARE(map->find("abc"), std::optional<std::string_view>("cd"));
    QVERIFY(!map->find("ba"));
    QVERIFY(!map->find(""));
    QVERIFY(!map->find(std::string_view("\0a", 2)));
    QCOMPARE(parse(SmallMap(0).bytes())->find("a"), std::optional<std::string_view>("b"));
    QCOMPARE(parse(SmallMap(4).bytes())->find("a"), std::optional<std::string_view>(""));
}

void TestCharsMap::refused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const QByteArray good = SmallMap().bytes();
    QTest::newRow("empty") << QByteArray() << u"is cut off before its trie"_s;
    QTest::newRow("cut in the trie") << good.left(2000) << u"is cut off inside its trie"_s;
    QTest::newRow("no replacements") << good.chopped(5) << u"is cut off inside its trie"_s;
    QTest::newRow("cut in the replacements")
        << good.chopped(1) << u"is cut off inside its replacements"_s;
    QTest::newRow("odd size") << QByteArray("\x05\0\0\0", 4) + good.mid(4)
                              << u"says that its trie has 5 bytes, expected a multiple of 4"_s;
    QTest::newRow("no trie") << QByteArray("\0\0\0\0", 4) + good.mid(4)
                             << u"says that its trie has 0 bytes, expected a multiple of 4"_s;
    QTest::newRow("too long") << QByteArray(5'000'000, '\0')
                              << u"is 5.00 MB long, and at most 4.00 MB are read"_s;
    QTest::newRow("value outside") << SmallMap(5).bytes() << u"points outside its replacements"_s;
    SmallMap inside;
    inside.replacements = QByteArray("b\0\u00E9\0", 5);
    inside.units[512] = 3 | 0x80000000u;
    QTest::newRow("value inside a character")
        << inside.bytes() << u"points outside its replacements"_s;
    SmallMap broken;
    broken.replacements = QByteArray("\xFF\0", 2);
    QTest::newRow("no UTF-8") << broken.bytes() << u"has replacements that are not UTF-8"_s;
    SmallMap outside;
    outside.units[0] = unit(0, 4096, false);
    QTest::newRow("node outside") << outside.bytes() << u"points outside its trie"_s;
    SmallMap circle;
    circle.units[256 ^ 'a'] = unit('a', 'a', false);
    QTest::newRow("circle") << circle.bytes() << u"has a trie that runs in a circle"_s;
}

void TestCharsMap::refused() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto map = parse(bytes);
    QVERIFY(!map);
    QCOMPARE(QString::fromStdString(map.error().message), message);
    const QByteArray normalizer = R"("normalizer": {"type": "Precompiled", )"
                                  R"("precompiled_charsmap": ")" +
                                  bytes.toBase64() + "\"}";
    QCOMPARE(refusal(changed(R"("normalizer": null)", normalizer)),
             u"file.json: the tokenizer's normalizer.precompiled_charsmap "_s + message + u'.');
}

void TestCharsMap::notBase64() {
    for (const char* text : {"abc", "ab!=", "=====", "\\u00e9\\u00e9", "QUJD QUJD   "})
        QCOMPARE(refusal(changed(R"("normalizer": null)",
                                 QByteArray(R"("normalizer": {"type": "Precompiled", )"
                                            R"("precompiled_charsmap": ")") +
                                     text + "\"}")),
                 u"file.json: the tokenizer's normalizer.precompiled_charsmap is not base64."_s);
}

const headscope::test::TestRegistration<TestCharsMap> registration;

} // namespace test_chars_map

#include "test_chars_map.moc"
