#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_sentencepiece {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

namespace {

Result<std::shared_ptr<const Tokenizer>> read(const QByteArray& model,
                                              const SentencePieceOptions& options = {}) {
    return readSentencePiece({model.data(), std::size_t(model.size())}, "file.model", options);
}

std::shared_ptr<const Tokenizer> bpe(const SentencePieceOptions& options = {}) {
    const auto tokenizer = read(tokenizerFile(u"sentencepiece_bpe.model"_s), options);
    if (!tokenizer)
        qFatal("%s", tokenizer.error().message.c_str());
    return *tokenizer;
}

AddedToken addedToken(TokenId id, const std::string& content) {
    AddedToken token;
    token.id = id;
    token.content = token.form = content;
    return token;
}

} // namespace

/// Every id, piece, offset and decoded text against the sentencepiece library's Python package, and
/// what this program adds around it.
class TestSentencePiece : public QObject {
    Q_OBJECT

private slots:
    void reference_data();
    void reference();
    void bosAndEos();
    void controlPiecesInText();
    void addedTokens();
    void pieces();
    void unknownIds();
};

void TestSentencePiece::reference_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("kind");
    QTest::newRow("BPE") << u"sentencepiece_bpe"_s << u"sentencepiece BPE"_s;
    QTest::newRow("Unigram") << u"sentencepiece_unigram"_s << u"sentencepiece Unigram"_s;
}

void TestSentencePiece::reference() {
    QFETCH(QString, name);
    QFETCH(QString, kind);
    const auto tokenizer = read(tokenizerFile(name + u".model"_s), {.add_bos = false});
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(QString::fromUtf8((*tokenizer)->kind().data()), kind);
    const QJsonArray vectors = tokenizerJson(name + u".vectors.json"_s)[u"vectors"].toArray();
    QCOMPARE(vectors.size(), 29);
    for (const auto& vector : vectors) {
        QJsonObject reference = vector.toObject();
        reference[u"ids_without_specials"] = reference[u"ids"];
        reference[u"decoded_keep_specials"] = reference[u"decoded"];
        compareWithReference(**tokenizer, reference);
        if (QTest::currentTestFailed())
            return;
    }
}

void TestSentencePiece::bosAndEos() {
    const auto llama = bpe();
    QCOMPARE(llama->prefixToken(), std::optional<TokenId>(1));
    const auto encoding = llama->encode("cat", true);
    QVERIFY(encoding);
    QCOMPARE(encoding->ids.front(), 1);
    QCOMPARE(encoding->tokens.front(), "<s>");
    QCOMPARE(encoding->offsets.front(), TextRange{});
    QCOMPARE(TokenIds(encoding->ids.begin() + 1, encoding->ids.end()),
             llama->encode("cat", false)->ids);
    const auto both = bpe({.add_bos = true, .add_eos = true})->encode("cat", true);
    QCOMPARE(both->ids.back(), 2);
    QVERIFY(!bpe({.add_bos = false})->prefixToken());
    // This one has no BOS piece, whatever is asked for.
    const auto unigram = read(tokenizerFile(u"sentencepiece_unigram.model"_s));
    QVERIFY(!(*unigram)->prefixToken());
}

void TestSentencePiece::controlPiecesInText() {
    const auto tokenizer = bpe();
    const auto encoding = tokenizer->encode("é<s>cat</s>", false);
    QVERIFY(encoding);
    const auto bos = std::ranges::find(encoding->ids, 1) - encoding->ids.begin();
    QCOMPARE(encoding->offsets[std::size_t(bos)], (TextRange{1, 4}));
    QCOMPARE(encoding->ids.back(), 2);
    QCOMPARE(encoding->offsets.back(), (TextRange{7, 11}));
    QCOMPARE(tokenizer->decode(encoding->ids, false), "é<s>cat</s>");
    QCOMPARE(tokenizer->decode(encoding->ids, true), "é cat"); // "▁é" and "▁cat"
    QVERIFY(tokenizer->isSpecial(1));
    QVERIFY(!tokenizer->isSpecial(encoding->ids[0]));
}

void TestSentencePiece::addedTokens() {
    const auto tokenizer = bpe({.added_tokens = {addedToken(5000, "<tool>")}});
    QCOMPARE(tokenizer->vocabularySize(), std::size_t{5001});
    QCOMPARE(tokenizer->id("<tool>"), std::optional<TokenId>(5000));
    QCOMPARE(tokenizer->token(5000), std::optional<std::string>("<tool>"));
    const auto encoding = tokenizer->encode("cat<tool>cat", false);
    QVERIFY(std::ranges::count(encoding->ids, 5000) == 1);
    QCOMPARE(tokenizer->decode(encoding->ids, true), "cat<tool>cat");
}

void TestSentencePiece::pieces() {
    const auto tokenizer = bpe();
    QCOMPARE(tokenizer->piece(*tokenizer->id("▁the")), " the");
    QCOMPARE(tokenizer->piece(*tokenizer->id("<0xE2>")), "\\xE2");
    QCOMPARE(tokenizer->piece(*tokenizer->id("<s>")), "<s>");
    QVERIFY(!tokenizer->id("no such piece"));
    QVERIFY(!tokenizer->token(-1));
    QVERIFY(!tokenizer->token(100'000));
    QCOMPARE(tokenizer->piece(100'000), "");
}

void TestSentencePiece::unknownIds() {
    const auto tokenizer = bpe();
    QCOMPARE(tokenizer->decode(TokenIds{-1, 2'000'000'000, *tokenizer->id("▁the")}, false), "the");
}

const headscope::test::TestRegistration<TestSentencePiece> registration;

} // namespace test_sentencepiece

#include "test_sentencepiece.moc"
