#include "core/base/random.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_tokenizer_hostile {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

/// Files made to exhaust the stack, the memory or the patience of the reader.
class TestTokenizerHostile : public QObject {
    Q_OBJECT

private slots:
    void deepNesting();
    void tooLong();
    void longTextsAreCut();
    void hostileReplacements();
    void hostilePattern_data();
    void hostilePattern();
    void circularMerges();
    void hugeVocabularies();
    void damagedAnywhere_data();
    void damagedAnywhere();
};

void TestTokenizerHostile::deepNesting() {
    constexpr int depth = 100'000;
    const QByteArray open = R"({"type": "Sequence", "normalizers": [)";
    const QByteArray file =
        changed(R"("normalizer": null)",
                "\"normalizer\": " + open.repeated(depth) + QByteArray("]}").repeated(depth));
    const QString message = refusal(file);
    QVERIFY2(message.endsWith(u" is nested too deeply."_s), qPrintable(message.left(200)));
    QVERIFY(
        refusal(QByteArray("[").repeated(depth)).endsWith(u" is not valid JSON at byte 100001."_s));
}

void TestTokenizerHostile::tooLong() {
    QCOMPARE(refusal(QByteArray(300'000'000, ' ')),
             u"file.json: the tokenizer is 300 MB long, and at most 256 MB are read."_s);
}

void TestTokenizerHostile::longTextsAreCut() {
    const QByteArray name(1'000'000, 'x');
    QCOMPARE(refusal(changed("\"BPE\"", '"' + name + '"')).size(), 164);
    QVERIFY(refusal(changed(R"("b": 1)", '"' + name + "\": -1")).size() < 300);
    QVERIFY(refusal(changed(R"(["a b"])", "[\"a " + name + "\"]")).size() < 300);
}

/// Replacements that double the text again and again.
void TestTokenizerHostile::hostileReplacements() {
    QByteArrayList steps;
    for (int i = 0; i < 64; ++i)
        steps += R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
    const QByteArray file =
        changed(R"("normalizer": null)",
                R"("normalizer": {"type": "Sequence", "normalizers": [)" + steps.join(',') + "]}");
    const auto tokenizer = readTokenizerJson(file.toStdString(), "file.json");
    QVERIFY(tokenizer);
    const auto encoding = (*tokenizer)->encode("a", false);
    QVERIFY(!encoding);
    QCOMPARE(encoding.error().code, ErrorCode::TooLarge);
    QCOMPARE(QString::fromStdString(encoding.error().message),
             u"The tokenizer's normalizer makes 1.00 MB and more of 1 characters; use another "
             "tokenizer."_s);
}

/// A pattern that backtracks without end is an error, in the normalizer and in the pre-tokenizer.
void TestTokenizerHostile::hostilePattern_data() {
    QTest::addColumn<QByteArray>("file");
    const QByteArray pattern = R"("pattern": {"Regex": "(a+)+$"}, )";
    QTest::newRow("normalizer") << changed(R"("normalizer": null)",
                                           R"("normalizer": {"type": "Replace", )" + pattern +
                                               R"("content": ""})");
    QTest::newRow("pre_tokenizer")
        << changed(R"({"type": "Whitespace"})", R"({"type": "Split", )" + pattern +
                                                    R"("behavior": "Isolated", "invert": false})");
}

void TestTokenizerHostile::hostilePattern() {
    QFETCH(QByteArray, file);
    const auto tokenizer = readTokenizerJson(file.toStdString(), "file.json");
    QVERIFY(tokenizer);
    QVERIFY((*tokenizer)->encode("aaab", false));
    const auto encoding =
        (*tokenizer)->encode(QByteArray(60, 'a').append('b').toStdString(), false);
    QVERIFY(!encoding);
    QCOMPARE(encoding.error().code, ErrorCode::TooLarge);
    QCOMPARE(QString::fromStdString(encoding.error().message),
             u"The regular expression \"(a+)+$\" gave up on the text (match limit exceeded); use a "
             "shorter text or another tokenizer."_s);
}

/// Merges that make the tokens they are made of: every one makes a text shorter all the same.
void TestTokenizerHostile::circularMerges() {
    QByteArray file = kSmallestFile;
    file.replace(R"({"a": 0, "b": 1, "ab": 2})",
                 R"({"a": 0, "b": 1, "ab": 2, "aba": 4, "abab": 5})");
    file.replace(R"(["a b"])", R"(["ab a", "ab ab", "a b", "aba b", "a b"])");
    const auto tokenizer = readTokenizerJson(file.toStdString(), "file.json");
    QVERIFY(tokenizer);
    const auto encoding = (*tokenizer)->encode("ababab", false);
    QVERIFY(encoding);
    QCOMPARE((*tokenizer)->decode(encoding->ids, false).size(), 6 + encoding->ids.size() - 1);
}

/// A value of JSON takes far more memory than its text.
void TestTokenizerHostile::hugeVocabularies() {
    constexpr int tokens = 10'000'000;
    QByteArray list;
    list.reserve(tokens * 8);
    for (int i = 0; i < tokens; ++i)
        list += R"(["",0],)";
    QCOMPARE(refusal(changed(R"(["a b"])", '[' + list + ']')),
             u"file.json: the tokenizer holds more values than its size has room for."_s);
}

void TestTokenizerHostile::damagedAnywhere_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"t5", "albert", "bert_chinese", "clip", "byte_unigram", "notebook"})
        QTest::newRow(name) << QString::fromLatin1(name) + u".tokenizer.json"_s;
}

/// Whatever is still accepted must work.
void TestTokenizerHostile::damagedAnywhere() {
    QFETCH(QString, name);
    const QByteArray file = tokenizerFile(name);
    Random random(32);
    for (int i = 0; i < 300; ++i) {
        QByteArray damaged = file;
        for (std::size_t n = 0; n <= random.below(3); ++n)
            damaged[qsizetype(random.below(std::size_t(file.size())))] =
                char(32 + random.below(96));
        const auto tokenizer = readTokenizerJson(damaged.toStdString(), "file.json");
        if (!tokenizer)
            continue;
        for (const char* text : {"", "The cat  sat.", "é ﬁ 你好\n 🙂 <s> e\u0301"})
            if (const auto encoding = (*tokenizer)->encode(text, true))
                (*tokenizer)->decode(encoding->ids, false);
    }
}

const headscope::test::TestRegistration<TestTokenizerHostile> registration;

} // namespace test_tokenizer_hostile

#include "test_tokenizer_hostile.moc"
