#include "tests/tokenizer/tokenizer_files.h"

#include <QTest>

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
    const auto tokenizer = Tokenizer::fromJson(file.toStdString(), "file.json");
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
    const auto tokenizer = Tokenizer::fromJson(file.toStdString(), "file.json");
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

QTEST_GUILESS_MAIN(TestTokenizerHostile)
#include "test_tokenizer_hostile.moc"
