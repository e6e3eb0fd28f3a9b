#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_tokenizer_tokens {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

/// What a tokenizer says about its tokens one by one.
class TestTokenizerTokens : public QObject {
    Q_OBJECT

private slots:
    void idsAndTokens();
    void gapsInTheVocabulary();
    void piece_data();
    void piece();
    void prefixToken_data();
    void prefixToken();
    void unknownToken_data();
    void unknownToken();
    void modelWithoutType();
    void dropoutIsNoted();
};

void TestTokenizerTokens::idsAndTokens() {
    const auto tokenizer = makeTokenizer(u"gpt2"_s);
    QCOMPARE(tokenizer->vocabularySize(), std::size_t{900});
    QCOMPARE(tokenizer->token(0), std::optional<std::string>("<|endoftext|>"));
    QCOMPARE(tokenizer->id("<|endoftext|>"), std::optional<TokenId>(0));
    QCOMPARE(tokenizer->token(*tokenizer->id("Ġthe")), std::optional<std::string>("Ġthe"));
    QVERIFY(!tokenizer->token(900));
    QVERIFY(!tokenizer->token(-1));
    QVERIFY(!tokenizer->id("no such token"));
    QVERIFY(!tokenizer->isSpecial(900));
}

void TestTokenizerTokens::gapsInTheVocabulary() {
    QJsonObject json = tokenizerJson(u"notebook.tokenizer.json"_s);
    QJsonObject model = json[u"model"].toObject();
    QJsonObject vocabulary = model[u"vocab"].toObject();
    vocabulary[u"cats"] = 100;
    model[u"vocab"] = vocabulary;
    json[u"model"] = model;
    const auto tokenizer = makeTokenizer(json);
    QCOMPARE(tokenizer->vocabularySize(), std::size_t{101});
    QVERIFY(!tokenizer->token(99));
    QCOMPARE(tokenizer->encode("cats", false)->ids, TokenIds{100});
}

void TestTokenizerTokens::piece_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("token");
    QTest::addColumn<QString>("piece");
    QTest::newRow("a word with its space") << u"gpt2"_s << u"Ġthe"_s << u" the"_s;
    QTest::newRow("a line end") << u"gpt2"_s << u"Ċ"_s << u"\n"_s;
    QTest::newRow("a byte that starts a character") << u"gpt2"_s << u"â"_s << u"\\xE2"_s;
    QTest::newRow("a byte that ends one") << u"gpt2"_s << u"¤"_s << u"\\xA4"_s;
    QTest::newRow("a special token") << u"gpt2"_s << u"<|endoftext|>"_s << u"<|endoftext|>"_s;
    QTest::newRow("a space of sentencepiece") << u"llama2"_s << u"▁t"_s << u" t"_s;
    QTest::newRow("a byte of sentencepiece") << u"llama2"_s << u"<0xE2>"_s << u"\\xE2"_s;
    QTest::newRow("a space of Metaspace") << u"unigram"_s << u"▁the"_s << u" the"_s;
    QTest::newRow("a start of WordPiece") << u"bert_cased"_s << u"the"_s << u"the"_s;
    QTest::newRow("a rest of WordPiece") << u"bert_cased"_s << u"##s"_s << u"##s"_s;
    QTest::newRow("a word's end") << u"clip"_s << u"a</w>"_s << u"a "_s;
    QTest::newRow("a word") << u"notebook"_s << u"transformers"_s << u"transformers"_s;
    QTest::newRow("a letter") << u"microgpt"_s << u"e"_s << u"e"_s;
}

void TestTokenizerTokens::piece() {
    QFETCH(QString, name);
    QFETCH(QString, token);
    QFETCH(QString, piece);
    const auto tokenizer = makeTokenizer(name);
    const auto id = tokenizer->id(token.toStdString());
    QVERIFY(id);
    QCOMPARE(QString::fromStdString(tokenizer->piece(*id)), piece);
    QCOMPARE(tokenizer->piece(-1), "");
}

void TestTokenizerTokens::prefixToken_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("id");
    QTest::newRow("a template") << u"llama3"_s << 0;
    QTest::newRow("offsets only") << u"gpt2"_s << -1;
    QTest::newRow("nothing") << u"notebook"_s << -1;
}

void TestTokenizerTokens::prefixToken() {
    QFETCH(QString, name);
    QFETCH(int, id);
    const auto tokenizer = makeTokenizer(name);
    QCOMPARE(tokenizer->prefixToken().value_or(-1), id);
    const auto encoding = tokenizer->encode("like", true);
    QCOMPARE(encoding->ids.front() == id, id != -1);
}

void TestTokenizerTokens::unknownToken_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("token"); // empty: none
    QTest::newRow("bytes say everything") << u"gpt2"_s << QString();
    QTest::newRow("WordPiece") << u"bert_cased"_s << u"[UNK]"_s;
    QTest::newRow("Unigram") << u"unigram"_s << u"<unk>"_s;
    QTest::newRow("BPE") << u"llama2"_s << u"<unk>"_s;
    QTest::newRow("words, as the file has it") << u"notebook"_s << u"<PAD>"_s;
}

void TestTokenizerTokens::unknownToken() {
    QFETCH(QString, name);
    QFETCH(QString, token);
    const auto tokenizer = makeTokenizer(name);
    QCOMPARE(tokenizer->unknownToken(), tokenizer->id(token.toStdString()));
    if (tokenizer->unknownToken())
        QVERIFY(tokenizer->token(*tokenizer->unknownToken()) == token.toStdString());
}

/// As in the file that OpenAI's GPT-2 has on the Hugging Face hub.
void TestTokenizerTokens::modelWithoutType() {
    QJsonObject json = tokenizerJson(u"gpt2.tokenizer.json"_s);
    const auto typed = makeTokenizer(json);
    QJsonObject model = json[u"model"].toObject();
    for (const char* key : {"type", "byte_fallback", "ignore_merges"})
        model.remove(QLatin1String(key));
    for (const char* key : {"unk_token", "continuing_subword_prefix", "end_of_word_suffix"})
        model[QLatin1String(key)] = u""_s;
    json[u"model"] = model;
    const std::string text = "Hello world, naïve 日本";
    QCOMPARE(makeTokenizer(json)->encode(text, true)->ids, typed->encode(text, true)->ids);
}

void TestTokenizerTokens::dropoutIsNoted() {
    const auto read = [](const QByteArray& json) {
        const auto tokenizer = readTokenizerJson(json.toStdString(), "file.json");
        return tokenizer ? (*tokenizer)->notes() : std::vector<std::string>{"refused"};
    };
    QCOMPARE(read(kSmallestFile), std::vector<std::string>());
    QCOMPARE(read(changed(R"("merges")", R"("dropout": 0.0, "merges")")),
             std::vector<std::string>());
    QCOMPARE(read(changed(R"("merges")", R"("dropout": 0.1, "merges")")),
             std::vector<std::string>{"The tokenizer leaves out merges at random while a model is "
                                      "trained (dropout); here every merge is made."});
}

const headscope::test::TestRegistration<TestTokenizerTokens> registration;

} // namespace test_tokenizer_tokens

#include "test_tokenizer_tokens.moc"
