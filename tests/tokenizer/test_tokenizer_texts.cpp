#include "core/base/random.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_tokenizer_texts {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

/// Texts of every kind through tokenizers that are known to be right.
class TestTokenizerTexts : public QObject {
    Q_OBJECT

private slots:
    void byteLevelRoundTrip_data();
    void byteLevelRoundTrip();
    void offsetsCoverTheText();
    void longTexts_data();
    void longTexts();
    void invalidUtf8_data();
    void invalidUtf8();
    void tooLong();
    void unknownCharacter();
    void specialTokensInText();
    void decodeForeignIds();
    void decodeBrokenCharacters_data();
    void decodeBrokenCharacters();
};

namespace {

constexpr std::size_t kStrings = 5000;

/// HEADSCOPE_ROUND_TRIPS asks for more than the usual 100,000 round trips.
std::size_t roundTrips() {
    bool stated = false;
    const int count = qEnvironmentVariableIntValue("HEADSCOPE_ROUND_TRIPS", &stated);
    return stated && count > 0 ? std::size_t(count) : 100'000;
}

/// Letters, spaces, marks and anything else that UTF-8 can hold.
std::string randomText(Random& random) {
    std::u32string text;
    for (std::size_t length = random.below(24); text.size() < length;) {
        const std::size_t kind = random.below(4);
        char32_t code_point = kind == 0   ? static_cast<char32_t>(random.below(0x80))
                              : kind == 1 ? static_cast<char32_t>(random.below(0x600))
                              : kind == 2 ? static_cast<char32_t>(random.below(0x10000))
                                          : static_cast<char32_t>(random.below(0x110000));
        if (code_point < 0xD800 || code_point > 0xDFFF)
            text += code_point;
    }
    return QString::fromUcs4(text.data(), qsizetype(text.size())).toStdString();
}

} // namespace

void TestTokenizerTexts::byteLevelRoundTrip_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("gpt2") << u"gpt2"_s;
    QTest::newRow("llama3") << u"llama3"_s;
}

void TestTokenizerTexts::byteLevelRoundTrip() {
    QFETCH(QString, name);
    const auto tokenizer = makeTokenizer(name);
    Random random(20);
    for (std::size_t i = 0; i < roundTrips() / 2; ++i) {
        const std::string text = randomText(random);
        const auto encoding = tokenizer->encode(text, false);
        QVERIFY(encoding);
        if (tokenizer->decode(encoding->ids, false) != text) // faster than QCOMPARE
            QCOMPARE(tokenizer->decode(encoding->ids, false), text);
        if (i >= kStrings)
            continue;
        std::string pieces;
        for (const TokenId id : encoding->ids)
            pieces += tokenizer->piece(id);
        if (QString::fromStdString(text).toUcs4().size() == qsizetype(text.size()))
            QCOMPARE(pieces, text); // one byte per character: no piece is escaped
    }
}

void TestTokenizerTexts::offsetsCoverTheText() {
    const auto tokenizer = makeTokenizer(u"gpt2"_s);
    Random random(21);
    for (std::size_t i = 0; i < kStrings; ++i) {
        const std::string text = randomText(random);
        const auto encoding = tokenizer->encode(text, false);
        QVERIFY(encoding);
        std::size_t end = 0;
        for (const TextRange range : encoding->offsets) {
            QVERIFY(range.begin == end || range.begin + 1 == end); // they share a character
            QVERIFY(range.end >= end && range.end > range.begin);
            end = range.end;
        }
        QCOMPARE(qsizetype(end), QString::fromStdString(text).toUcs4().size());
    }
}

void TestTokenizerTexts::longTexts_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<std::string>("unit");
    for (const char* name : {"gpt2", "llama3", "llama2"}) {
        QTest::addRow("%s, a word of 100,000 letters", name)
            << QString::fromLatin1(name) << std::string("a");
        QTest::addRow("%s, 100,000 letters that merge", name)
            << QString::fromLatin1(name) << std::string("the");
        QTest::addRow("%s, 100,000 spaces", name) << QString::fromLatin1(name) << std::string(" ");
        QTest::addRow("%s, 100,000 line ends", name)
            << QString::fromLatin1(name) << std::string("\r\n");
        QTest::addRow("%s, 100,000 marks", name) << QString::fromLatin1(name) << std::string("!?");
    }
}

/// A quadratic step would take minutes, a step limit set too low would be an error.
void TestTokenizerTexts::longTexts() {
    QFETCH(QString, name);
    QFETCH(std::string, unit);
    const auto tokenizer = makeTokenizer(name);
    std::string text;
    while (text.size() < 100'000)
        text += unit;
    const auto encoding = tokenizer->encode(text, false);
    QVERIFY2(encoding, encoding ? "" : encoding.error().message.c_str());
    QCOMPARE(encoding->offsets.back().end, text.size());
    QCOMPARE(tokenizer->decode(encoding->ids, false), text);
}

void TestTokenizerTexts::invalidUtf8_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<int>("byte");
    QTest::newRow("a continuation byte alone") << QByteArray("ab\x80") << 2;
    QTest::newRow("a sequence cut off") << QByteArray("\xC3\xA9\xE2\x82") << 2;
    QTest::newRow("an overlong slash") << QByteArray("\xC0\xAF") << 0;
    QTest::newRow("a surrogate") << QByteArray("a\xED\xA0\x80") << 1;
    QTest::newRow("beyond Unicode") << QByteArray("\xF4\x90\x80\x80") << 0;
    QTest::newRow("no UTF-8 at all") << QByteArray("caf\xE9") << 3;
}

void TestTokenizerTexts::invalidUtf8() {
    QFETCH(QByteArray, text);
    QFETCH(int, byte);
    const auto tokenizer = makeTokenizer(u"gpt2"_s);
    const auto encoding = tokenizer->encode(text.toStdString(), false);
    QVERIFY(!encoding);
    QCOMPARE(encoding.error().code, ErrorCode::InvalidArgument);
    QCOMPARE(QString::fromStdString(encoding.error().message),
             u"The text is not valid UTF-8 at byte %1; convert it to UTF-8."_s.arg(byte));
}

void TestTokenizerTexts::tooLong() {
    const auto encoding = makeTokenizer(u"gpt2"_s)->encode(std::string(60'000'000, 'a'), false);
    QVERIFY(!encoding);
    QCOMPARE(encoding.error().code, ErrorCode::TooLarge);
    QCOMPARE(encoding.error().message, "The text is 60.0 MB long; use at most 50.0 MB.");
}

void TestTokenizerTexts::unknownCharacter() {
    const auto tokenizer = makeTokenizer(u"microgpt"_s);
    const auto encoding = tokenizer->encode("ém\u00C9!", false);
    QVERIFY(!encoding);
    QCOMPARE(encoding.error().code, ErrorCode::InvalidArgument);
    QCOMPARE(encoding.error().message,
             "The tokenizer has no token for \"é\" (character 1 of the text) and no unknown token; "
             "leave it out or type token ids.");
    // The message shows the text as typed, which the tokenizer lowercases.
    QCOMPARE(tokenizer->encode("em\u00C9", false).error().message,
             "The tokenizer has no token for \"É\" (character 3 of the text) and no unknown token; "
             "leave it out or type token ids.");
}

void TestTokenizerTexts::specialTokensInText() {
    const auto tokenizer = makeTokenizer(u"gpt2"_s);
    const auto encoding = tokenizer->encode("a<|endoftext|>é", true);
    QVERIFY(encoding);
    QCOMPARE(encoding->ids[1], 0);
    QCOMPARE(encoding->offsets[1], (TextRange{1, 14}));
    QVERIFY(tokenizer->isSpecial(0));
    QVERIFY(!tokenizer->isSpecial(encoding->ids[0]));
    QCOMPARE(tokenizer->decode(encoding->ids, true), "aé");
    QCOMPARE(tokenizer->decode(encoding->ids, false), "a<|endoftext|>é");
}

void TestTokenizerTexts::decodeForeignIds() {
    const auto tokenizer = makeTokenizer(u"gpt2"_s);
    const TokenIds ids{-1, *tokenizer->id("A"), 900, 2'000'000'000, *tokenizer->id("B")};
    QCOMPARE(tokenizer->decode(ids, false), "AB");
}

/// A broken character is one U+FFFD as far as it goes, every other byte one of its own.
void TestTokenizerTexts::decodeBrokenCharacters_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("tokens");
    QTest::addColumn<QString>("text");
    QTest::newRow("half") << u"gpt2"_s << QStringList{u"â"_s, u"Ĥ"_s, u"A"_s} << u"\uFFFDA"_s;
    QTest::newRow("three quarters")
        << u"gpt2"_s << QStringList{u"A"_s, u"ð"_s, u"Ł"_s, u"Ļ"_s} << u"A\uFFFD"_s;
    QTest::newRow("ends only") << u"gpt2"_s << QStringList{u"Ĥ"_s, u"Ĥ"_s} << u"\uFFFD\uFFFD"_s;
    QTest::newRow("of sentencepiece")
        << u"llama2"_s << QStringList{u"▁"_s, u"<0xE2>"_s, u"<0x82>"_s, u"a"_s}
        << u"\uFFFD\uFFFDa"_s;
}

void TestTokenizerTexts::decodeBrokenCharacters() {
    QFETCH(QString, name);
    QFETCH(QStringList, tokens);
    QFETCH(QString, text);
    const auto tokenizer = makeTokenizer(name);
    TokenIds ids;
    for (const QString& token : tokens)
        ids.push_back(tokenizer->id(token.toStdString()).value());
    QCOMPARE(QString::fromStdString(tokenizer->decode(ids, false)), text);
}

const headscope::test::TestRegistration<TestTokenizerTexts> registration;

} // namespace test_tokenizer_texts

#include "test_tokenizer_texts.moc"
