#include "core/datasets/bundled.h"
#include "core/datasets/conllu.h"
#include "core/datasets/token_alignment.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/datasets/tokenizer_models.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

#include <algorithm>

namespace test_token_alignment {

using namespace headscope;
using namespace headscope::test;

namespace {

/// A sentence whose words are the parts of `text` between spaces and in front of its last full
/// stop.
Sentence sentenceOf(const std::vector<std::string>& forms) {
    std::string content;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const bool glued = i + 1 < forms.size() && forms[i + 1] == ".";
        content += std::to_string(i + 1) + "\t" + forms[i] + "\t_\t_\t_\t_\t_\t_\t_\t" +
                   (glued ? "SpaceAfter=No" : "_") + "\n";
    }
    return require(readConllu(content, "test")).front();
}

std::string spansText(const ProbeText& read) {
    std::string text;
    for (const TokenSpan& span : read.words)
        text += "[" + std::to_string(span.first) + "," + std::to_string(span.end) + ")";
    return text;
}

std::shared_ptr<const Tokenizer> sentencePiece(const QString& name) {
    const QByteArray file = tokenizerFile(name + QStringLiteral(".model"));
    return require(readSentencePiece({file.data(), std::size_t(file.size())}, "file"));
}

/// Each token that stands for text is in the span of one word, in which or before which it begins.
void checkSpans(const Tokenizer& tokenizer, const Sentence& sentence, const ProbeText& read) {
    const auto encoding = require(tokenizer.encode(sentence.text, true));
    QCOMPARE(read.ids, encoding.ids);
    QCOMPARE(read.words.size(), sentence.words.size());
    std::vector<std::size_t> word_of(read.ids.size(), sentence.words.size());
    std::size_t at = 0;
    for (std::size_t w = 0; w < read.words.size(); ++w) {
        if (read.words[w].empty())
            continue;
        QVERIFY(read.words[w].first >= at);
        at = read.words[w].end;
        std::fill(word_of.begin() + std::ptrdiff_t(read.words[w].first),
                  word_of.begin() + std::ptrdiff_t(at), w);
    }
    const QString text = QString::fromStdString(sentence.text); // one unit per code point here
    for (std::size_t i = 0; i < read.ids.size(); ++i) {
        const TextRange range = encoding.offsets[i];
        if (range.begin == range.end) {
            QCOMPARE(word_of[i], sentence.words.size());
            continue;
        }
        const Word& word = sentence.words[word_of[i]];
        const qsizetype begin = QString::fromStdString(sentence.text.substr(0, word.begin)).size();
        const qsizetype end = QString::fromStdString(sentence.text.substr(0, word.end)).size();
        QVERIFY(qsizetype(range.begin) < end);
        QVERIFY(
            qsizetype(range.begin) >= begin ||
            text.mid(qsizetype(range.begin), begin - qsizetype(range.begin)).trimmed().isEmpty());
    }
}

} // namespace

class TestTokenAlignment : public QObject {
    Q_OBJECT

private slots:
    void everyTokenHasItsWord_data();
    void everyTokenHasItsWord();
    void spans_data();
    void spans();
    void characters();
    void unknownWords();
    void tokenOfTwoWords();
    void contraction();
    void sampleModels_data();
    void sampleModels();
    void noTokenizer();
    void tooLong();
};

void TestTokenAlignment::everyTokenHasItsWord_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"albert", "bert_cased", "bert_chinese", "bert_plain", "bert_uncased", "byte_unigram",
          "clip", "gpt2", "llama2", "llama3", "metaspace", "neox", "notebook", "qwen2", "t5",
          "unigram", "xlm_roberta", "sentencepiece_bpe", "sentencepiece_unigram"})
        QTest::addRow("%s", name) << QString::fromLatin1(name);
}

void TestTokenAlignment::everyTokenHasItsWord() {
    QFETCH(QString, name);
    const auto tokenizer = name.startsWith(QStringLiteral("sentencepiece")) ? sentencePiece(name)
                                                                            : makeTokenizer(name);
    const Model model = modelWith(tokenizer);
    for (const Sentence& sentence : bundledSentences())
        checkSpans(*tokenizer, sentence, require(probeText(model, sentence)));
}

void TestTokenAlignment::spans_data() {
    QTest::addColumn<QString>("tokenizer");
    QTest::addColumn<QString>("tokens"); // what the spans were counted on, by hand
    QTest::addColumn<QString>("spans");
    QTest::addRow("byte-level BPE")
        << QStringLiteral("gpt2") << QStringLiteral("M ary Ġsaw Ġthe Ġqu ic k Ġhouse .")
        << QStringLiteral("[0,2)[2,3)[3,4)[4,7)[7,8)[8,9)");
    QTest::addRow("byte-level BPE with BOS")
        << QStringLiteral("llama3")
        << QStringLiteral("<|begin_of_text|> M ary Ġsaw Ġthe Ġqu ic k Ġhouse .")
        << QStringLiteral("[1,3)[3,4)[4,5)[5,8)[8,9)[9,10)");
    QTest::addRow("WordPiece") << QStringLiteral("bert_uncased")
                               << QStringLiteral("[CLS] mary saw the qu ##ick house . [SEP]")
                               << QStringLiteral("[1,2)[2,3)[3,4)[4,6)[6,7)[7,8)");
    QTest::addRow("metaspace BPE")
        << QStringLiteral("llama2") << QStringLiteral("<s> ▁ Mary▁ sa w ▁the▁ qu ic k▁ house .")
        << QStringLiteral("[2,3)[3,5)[5,6)[6,9)[9,10)[10,11)"); // "▁" is of no letter
    QTest::addRow("metaspace Unigram")
        << QStringLiteral("t5")
        << QStringLiteral("▁Mary ▁s a w ▁t he ▁ <unk> u i c k ▁ h o u s e . </s>")
        << QStringLiteral("[0,1)[1,4)[4,6)[6,12)[12,18)[18,19)");
}

void TestTokenAlignment::spans() {
    QFETCH(QString, tokenizer);
    QFETCH(QString, tokens);
    QFETCH(QString, spans);
    const Model model = modelWith(makeTokenizer(tokenizer));
    const Sentence sentence = sentenceOf({"Mary", "saw", "the", "quick", "house", "."});
    const ProbeText read = require(probeText(model, sentence));
    QStringList found;
    for (const TokenId id : read.ids)
        found << QString::fromStdString(model.tokenizer->token(id).value_or(""));
    QCOMPARE(found.join(u' '), tokens);
    QCOMPARE(QString::fromStdString(spansText(read)), spans);
}

/// One token per character: the space before a word is its first.
void TestTokenAlignment::characters() {
    const QByteArray file = R"({"version": "1.0", "added_tokens": [], "normalizer": null,
        "pre_tokenizer": null, "post_processor": null, "decoder": null, "model": {"type": "BPE",
        "vocab": {" ": 0, ".": 1, "a": 2, "c": 3, "s": 4, "t": 5}, "merges": []}})";
    const auto tokenizer =
        require(readTokenizerJson({file.data(), std::size_t(file.size())}, "file"));
    const Sentence sentence = sentenceOf({"a", "cat", "sat", "."});
    const ProbeText read = require(probeText(modelWith(tokenizer), sentence));
    QCOMPARE(spansText(read), std::string("[0,1)[1,5)[5,9)[9,10)"));
}

/// An unknown word is one token, too.
void TestTokenAlignment::unknownWords() {
    const auto model = loadSample("notebook");
    const Sentence sentence = sentenceOf({"I", "like", "elephants", "transformers"});
    const auto read = probeText(*model, sentence);
    QCOMPARE(read ? spansText(*read) : read.error().message, std::string("[0,1)[1,2)[2,3)[3,4)"));
}

/// The token belongs to the word in which it begins.
void TestTokenAlignment::tokenOfTwoWords() {
    const auto model = loadSample("gpt2-mini-6l");
    const std::string content = "1\tHi\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                                "2\t.\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n"
                                "3\t\"\t_\t_\t_\t_\t_\t_\t_\t_\n"
                                "4\tthe\t_\t_\t_\t_\t_\t_\t_\t_\n";
    const Sentence sentence = require(readConllu(content, "test")).front();
    const ProbeText read = require(probeText(*model, sentence, BosMode::No));
    QCOMPARE(model->tokenizer->token(read.ids[read.words[1].first]), std::string(".\""));
    QCOMPARE(spansText(read), std::string("[0,2)[2,3)[3,3)[3,4)"));
}

/// "zum" is "zu dem": the first word takes the tokens, the second has none.
void TestTokenAlignment::contraction() {
    const std::string content = "1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_\n"
                                "1\tzu\t_\t_\t_\t_\t_\t_\t_\t_\n"
                                "2\tdem\t_\t_\t_\t_\t_\t_\t_\t_\n"
                                "3\tlike\t_\t_\t_\t_\t_\t_\t_\t_\n";
    const Sentence sentence = require(readConllu(content, "test")).front();
    const ProbeText read = require(probeText(*loadSample("notebook"), sentence));
    QCOMPARE(spansText(read), std::string("[0,1)[1,1)[1,2)"));
}

void TestTokenAlignment::sampleModels_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"attn-only-2l", "bert-mini-4l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
        QTest::addRow("%s", name) << QString::fromLatin1(name);
}

void TestTokenAlignment::sampleModels() {
    QFETCH(QString, name);
    const auto model = loadSample(name.toStdString());
    for (const Sentence& sentence : bundledSentences()) {
        const ProbeText read = require(probeText(*model, sentence));
        QVERIFY(read.has_bos);
        QCOMPARE(read.words.front().first, std::size_t{1});
        QCOMPARE(read.words.back().end, read.ids.size());
        for (std::size_t w = 0; w < read.words.size(); ++w)
            QVERIFY(!read.words[w].empty() || sentence.words[w].word_class == "PUNCT");
    }
}

void TestTokenAlignment::noTokenizer() {
    const auto refused = probeText(modelWith(nullptr), bundledSentences().front());
    QVERIFY(!refused);
    QCOMPARE(refused.error().message,
             std::string("tiny has no tokenizer, so it cannot read text; give token ids, or put "
                         "the model's tokenizer.json beside its file."));
}

void TestTokenAlignment::tooLong() {
    const Model model = modelWith(makeTokenizer(QStringLiteral("gpt2")), 4);
    const auto refused = probeText(model, bundledSentences().front());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::TooLarge);
}

const headscope::test::TestRegistration<TestTokenAlignment> registration;

} // namespace test_token_alignment

#include "test_token_alignment.moc"
