#include "core/tokenizer/from_files.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QJsonDocument>
#include <QTest>

namespace test_vocabulary_files {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

namespace {

/// What older files of a family would hold.
struct OldFiles {
    std::string vocab_json;
    std::string merges_txt = "#version: 0.2\n";
    std::string vocab_txt;
};

OldFiles oldFiles(const QString& family) {
    const QJsonObject model = tokenizerJson(family + u".tokenizer.json"_s)[u"model"].toObject();
    const QJsonObject vocabulary = model[u"vocab"].toObject();
    OldFiles files;
    files.vocab_json = QJsonDocument(vocabulary).toJson().toStdString();
    for (const auto& merge : model[u"merges"].toArray())
        files.merges_txt +=
            merge.isString()
                ? merge.toString().toStdString() + "\n"
                : (merge[0].toString() + u' ' + merge[1].toString()).toStdString() + "\n";
    QStringList lines(vocabulary.size());
    for (auto token = vocabulary.begin(); token != vocabulary.end(); ++token)
        lines[token->toInt()] = token.key();
    files.vocab_txt = lines.join(u'\n').toStdString();
    return files;
}

std::shared_ptr<const Tokenizer> made(const Result<RewrittenTokenizer>& rewritten) {
    if (!rewritten)
        qFatal("%s", rewritten.error().message.c_str());
    const auto tokenizer = readTokenizerJson(rewritten->json, "file");
    if (!tokenizer)
        qFatal("%s", tokenizer.error().message.c_str());
    return *tokenizer;
}

/// What the rewriting, or the tokenizer made of it, says.
QString refusal(const Result<RewrittenTokenizer>& rewritten) {
    if (!rewritten)
        return QString::fromStdString(rewritten.error().message);
    const auto tokenizer = readTokenizerJson(rewritten->json, "files");
    return tokenizer ? u"accepted"_s : QString::fromStdString(tokenizer.error().message);
}

void compareWithFamily(const Tokenizer& tokenizer, const QString& family) {
    const QJsonArray vectors = tokenizerJson(family + u".vectors.json"_s)[u"vectors"].toArray();
    QCOMPARE(vectors.size(), 75);
    for (const auto& vector : vectors) {
        compareWithReference(tokenizer, vector.toObject());
        if (QTest::currentTestFailed())
            return;
    }
}

TokenizerSettings settings(const QByteArray& tokenizer_config) {
    TokenizerSettings settings;
    const auto done =
        settings.readTokenizerConfig(tokenizer_config.toStdString(), "tokenizer_config.json");
    if (!done)
        qFatal("%s", done.error().message.c_str());
    return settings;
}

constexpr std::string_view kWords = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\ncat\ncaf\n##e\n##é";

} // namespace

/// Vocabularies in files of their own give the same tokenizers as the tokenizer.json of the family.
class TestVocabularyFiles : public QObject {
    Q_OBJECT

private slots:
    void merges();
    void wordPieces_data();
    void wordPieces();
    void roberta();
    void bosBeforeTheText();
    void addedTokens();
    void lowerCase_data();
    void lowerCase();
    void brokenMerges_data();
    void brokenMerges();
    void brokenWordPieces_data();
    void brokenWordPieces();
    void brokenSettings_data();
    void brokenSettings();
};

void TestVocabularyFiles::merges() {
    const OldFiles files = oldFiles(u"gpt2"_s);
    compareWithFamily(*made(rewriteMerges(files.vocab_json, files.merges_txt, {}, "files")),
                      u"gpt2"_s);
}

void TestVocabularyFiles::wordPieces_data() {
    QTest::addColumn<QString>("family");
    QTest::addColumn<std::string>("note");
    QTest::newRow("uncased") << u"bert_uncased"_s
                             << std::string("Texts are made lower case, because no token of the "
                                            "vocabulary has a capital letter and no "
                                            "tokenizer_config.json says do_lower_case.");
    QTest::newRow("cased") << u"bert_cased"_s
                           << std::string("Texts keep their capital letters, because the "
                                          "vocabulary has some and no tokenizer_config.json says "
                                          "do_lower_case.");
}

void TestVocabularyFiles::wordPieces() {
    QFETCH(QString, family);
    QFETCH(std::string, note);
    const auto rewritten = rewriteWordPieces(oldFiles(family).vocab_txt, {}, "files");
    compareWithFamily(*made(rewritten), family);
    QCOMPARE(rewritten->notes, std::vector<std::string>{note});
}

void TestVocabularyFiles::roberta() {
    const std::string vocabulary =
        R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3, "a": 4, "Ġ": 5, "b": 6, "<mask>": 7})";
    const auto tokenizer = made(rewriteMerges(vocabulary, "", {}, "files"));
    QCOMPARE(tokenizer->prefixToken(), std::optional<TokenId>(0));
    // The mask takes the space before it along.
    QCOMPARE(tokenizer->encode("a <mask>b", true)->ids, (TokenIds{0, 4, 7, 6, 2}));
    const auto gpt2 = settings(R"({"tokenizer_class": "GPT2Tokenizer"})");
    QVERIFY(!made(rewriteMerges(vocabulary, "", gpt2, "files"))->prefixToken());
    const auto luke = settings(R"({"tokenizer_class": "LukeTokenizer"})");
    QCOMPARE(made(rewriteMerges(vocabulary, "", luke, "files"))->prefixToken(),
             std::optional<TokenId>(0));
    const auto spaced = settings(R"({"add_prefix_space": true})");
    QCOMPARE(made(rewriteMerges(vocabulary, "", spaced, "files"))->encode("b", false)->ids,
             (TokenIds{5, 6}));
}

/// OPT
void TestVocabularyFiles::bosBeforeTheText() {
    const auto stated = settings(R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true,
        "bos_token": {"__type": "AddedToken", "content": "</s>"}})");
    const auto tokenizer =
        made(rewriteMerges(R"({"</s>": 2, "a": 4})", "#version: 0.2\r\n", stated, "files"));
    QCOMPARE(tokenizer->encode("a", true)->ids, (TokenIds{2, 4}));
    QCOMPARE(tokenizer->encode("</s>a", false)->ids, (TokenIds{2, 4}));
    QVERIFY(tokenizer->isSpecial(2));
}

void TestVocabularyFiles::addedTokens() {
    auto stated = settings(R"({"do_lower_case": true, "added_tokens_decoder": {
        "9": {"content": "[TOOL]", "lstrip": true, "special": true}}})");
    QVERIFY(stated.readAddedTokens(R"({"[USER]": 10, "[TOOL]": 9})", "added_tokens.json"));
    const auto rewritten = rewriteWordPieces(kWords, stated, "files");
    QCOMPARE(rewritten->notes, std::vector<std::string>());
    QCOMPARE(made(rewritten)->encode("cat [TOOL][USER]", false)->ids, (TokenIds{5, 9, 10}));
}

void TestVocabularyFiles::lowerCase_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<TokenIds>("ids");
    QTest::newRow("assumed") << QByteArray("{}") << TokenIds{5, 6, 7};
    QTest::newRow("stated") << QByteArray(R"({"do_lower_case": false})") << TokenIds{1, 6, 8};
    QTest::newRow("accents kept") << QByteArray(
                                         R"({"do_lower_case": true, "strip_accents": false})")
                                  << TokenIds{5, 6, 8};
    QTest::newRow("accents null") << QByteArray(R"({"do_lower_case": true, "strip_accents": null})")
                                  << TokenIds{5, 6, 7};
}

void TestVocabularyFiles::lowerCase() {
    QFETCH(QByteArray, config);
    QFETCH(TokenIds, ids);
    const auto tokenizer = made(rewriteWordPieces(kWords, settings(config), "files"));
    QCOMPARE(tokenizer->encode("CAT café", false)->ids, ids);
}

void TestVocabularyFiles::brokenMerges_data() {
    QTest::addColumn<std::string>("vocabulary");
    QTest::addColumn<std::string>("merges");
    QTest::addColumn<QString>("message");
    const std::string good = R"({"a": 0, "b": 1, "ab": 2})";
    const auto row = [](const char* name, const std::string& vocabulary, const std::string& merges,
                        const QString& message) {
        QTest::newRow(name) << vocabulary << merges << u"files: "_s + message;
    };
    row("no JSON", "a b", "", u"the tokenizer is not valid JSON at byte 1."_s);
    row("a list", "[1]", "", u"the tokenizer must be an object, found an array."_s);
    row("an id as text", R"({"a": "0"})", "",
        u"the tokenizer's a must be a whole number from 0 to 4194303, found \"0\"."_s);
    row("nested", R"({"a": )" + std::string(100'000, '[') + std::string(100'000, ']') + "}", "",
        u"the tokenizer's a must be a whole number from 0 to 4194303, found an array."_s);
    row("an id twice", R"({"a": 0, "b": 0})", "",
        u"the tokenizer's model.vocab gives the id 0 to both \"a\" and \"b\"."_s);
    row("merges of one word", good, "#version: 0.2\na b\nab\n",
        u"the tokenizer's model.merges[2] must be two tokens (\"a b\" or [\"a\", \"b\"]), found "
        "\"ab\"."_s);
    row("merges of unknown tokens", good, "a c\n",
        u"the tokenizer's model.merges[0] needs the token \"c\", which is not in the "
        "vocabulary."_s);
    row("ends of words", R"({"a": 0, "b</w>": 1, "ab</w>": 2})", "a b</w>\n",
        u"the tokens mark the ends of words (\"ab</w>\"), so that they are of no byte-level BPE, "
        u"and nothing "
        "here says how texts become words; put the model's tokenizer.json there."_s);
    row("merges in another encoding", good, "a b\na \xFF\n",
        u"line 2 of the merges is not UTF-8."_s);
}

void TestVocabularyFiles::brokenMerges() {
    QFETCH(std::string, vocabulary);
    QFETCH(std::string, merges);
    QFETCH(QString, message);
    QCOMPARE(refusal(rewriteMerges(vocabulary, merges, {}, "files")), message);
}

void TestVocabularyFiles::brokenWordPieces_data() {
    QTest::addColumn<std::string>("vocabulary");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const std::string& vocabulary, const QString& message) {
        QTest::newRow(name) << vocabulary << u"files: "_s + message;
    };
    row("empty", "", u"the vocabulary is empty."_s);
    row("an empty line", "[UNK]\n\n[CLS]\n[SEP]\n", u"line 2 of the vocabulary is empty."_s);
    row("a token twice", "[UNK]\na\r\nb\na\n",
        u"line 4 of the vocabulary repeats \"a\" of line 2."_s);
    row("no unknown token", "a\nb\n",
        u"the vocabulary has no token \"[UNK]\", which every text of a WordPiece model needs."_s);
    row("another encoding", "[UNK]\n\xE9\n", u"line 2 of the vocabulary is not UTF-8."_s);
}

void TestVocabularyFiles::brokenWordPieces() {
    QFETCH(std::string, vocabulary);
    QFETCH(QString, message);
    QCOMPARE(refusal(rewriteWordPieces(vocabulary, {}, "files")), message);
}

void TestVocabularyFiles::brokenSettings_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QString>("message");
    QTest::newRow("flag") << QByteArray(R"({"add_bos_token": "yes"})")
                          << u"add_bos_token must be true or false, found \"yes\"."_s;
    QTest::newRow("token") << QByteArray(R"({"bos_token": 1})")
                           << u"bos_token must be a string, found 1."_s;
    QTest::newRow("token without content") << QByteArray(R"({"bos_token": {"lstrip": true}})")
                                           << u"bos_token.content must be a string, found null."_s;
    QTest::newRow("class") << QByteArray(R"({"tokenizer_class": []})")
                           << u"tokenizer_class must be a string, found an array."_s;
    QTest::newRow("decoder as a list") << QByteArray(R"({"added_tokens_decoder": [1]})")
                                       << u"added_tokens_decoder must be an object, found an "
                                          "array."_s;
    for (const char* id : {"-1", "x", "99999999"})
        QTest::addRow("id %s", id)
            << QByteArray(R"({"added_tokens_decoder": {")") + id + R"(": {"content": "a"}}})"
            << u"added_tokens_decoder."_s +
                   (*id == 'x' ? u"x"_s : u'"' + QString::fromLatin1(id) + u'"') +
                   u" has no token id as its key."_s;
}

void TestVocabularyFiles::brokenSettings() {
    QFETCH(QByteArray, config);
    QFETCH(QString, message);
    TokenizerSettings settings;
    const auto done = settings.readTokenizerConfig(config.toStdString(), "tokenizer_config.json");
    QVERIFY(!done);
    QCOMPARE(QString::fromStdString(done.error().message),
             u"tokenizer_config.json: the tokenizer's "_s + message);
}

const headscope::test::TestRegistration<TestVocabularyFiles> registration;

} // namespace test_vocabulary_files

#include "test_vocabulary_files.moc"
