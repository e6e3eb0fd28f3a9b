#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_tokenizer_reference {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

/// Every id, token, offset and decoded text against Hugging Face tokenizers.
class TestTokenizerReference : public QObject {
    Q_OBJECT

private slots:
    void family_data();
    void family();
    void variant_data();
    void variant();
    void letters_data();
    void letters();
};

void TestTokenizerReference::family_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("texts");
    QTest::addColumn<QString>("kind");
    QTest::newRow("gpt2") << u"gpt2"_s << 75 << u"byte-level BPE"_s;
    QTest::newRow("neox") << u"neox"_s << 75 << u"byte-level BPE"_s;
    QTest::newRow("llama3") << u"llama3"_s << 75 << u"byte-level BPE"_s;
    QTest::newRow("qwen2") << u"qwen2"_s << 75 << u"byte-level BPE"_s;
    QTest::newRow("llama2") << u"llama2"_s << 75 << u"BPE"_s;
    QTest::newRow("bert_cased") << u"bert_cased"_s << 75 << u"WordPiece"_s;
    QTest::newRow("bert_uncased") << u"bert_uncased"_s << 75 << u"WordPiece"_s;
    QTest::newRow("metaspace") << u"metaspace"_s << 75 << u"BPE"_s;
    QTest::newRow("unigram") << u"unigram"_s << 75 << u"Unigram"_s;
    for (const auto& [name, kind] : {std::pair(u"t5"_s, u"Unigram"_s),
                                     {u"albert"_s, u"Unigram"_s},
                                     {u"xlm_roberta"_s, u"Unigram"_s},
                                     {u"byte_unigram"_s, u"Unigram"_s},
                                     {u"bert_chinese"_s, u"WordPiece"_s},
                                     {u"bert_plain"_s, u"WordPiece"_s},
                                     {u"clip"_s, u"byte-level BPE"_s}})
        QTest::newRow(qPrintable(name)) << name << 30 << kind;
    QTest::newRow("microgpt") << u"microgpt"_s << 10 << u"BPE"_s;
    QTest::newRow("notebook") << u"notebook"_s << 15 << u"WordLevel"_s;
}

void TestTokenizerReference::family() {
    QFETCH(QString, name);
    QFETCH(int, texts);
    QFETCH(QString, kind);
    const auto tokenizer = makeTokenizer(name);
    QCOMPARE(QString::fromUtf8(tokenizer->kind().data()), kind);
    const QJsonArray vectors = tokenizerJson(name + u".vectors.json"_s)[u"vectors"].toArray();
    QCOMPARE(vectors.size(), texts);
    for (const auto& vector : vectors) {
        compareWithReference(*tokenizer, vector.toObject());
        if (QTest::currentTestFailed())
            return;
    }
}

/// Parts that no family above uses: each variant changes some entries of the gpt2 file.
void TestTokenizerReference::variant_data() {
    QTest::addColumn<QJsonObject>("tokenizer");
    QTest::addColumn<QJsonArray>("vectors");
    const QJsonObject file = tokenizerJson(u"variants.json"_s);
    for (const auto& variant : file[u"variants"].toArray()) {
        QJsonObject tokenizer = tokenizerJson(file[u"base"].toString());
        const QJsonObject changes = variant[u"changes"].toObject();
        for (auto change = changes.begin(); change != changes.end(); ++change)
            tokenizer[change.key()] = change.value();
        QTest::newRow(qUtf8Printable(variant[u"name"].toString()))
            << tokenizer << variant[u"vectors"].toArray();
    }
}

void TestTokenizerReference::variant() {
    QFETCH(QJsonObject, tokenizer);
    QFETCH(QJsonArray, vectors);
    QVERIFY(!vectors.isEmpty());
    const auto made = makeTokenizer(tokenizer);
    for (const auto& vector : vectors) {
        compareWithReference(*made, vector.toObject());
        if (QTest::currentTestFailed())
            return;
    }
}

/// Where Hugging Face gives a token letters of another, or takes it its own: ids are the same, and
/// each token has its own letters.
void TestTokenizerReference::letters_data() {
    QTest::addColumn<QJsonObject>("tokenizer");
    QTest::addColumn<QJsonObject>("expected");
    for (const auto& file : tokenizerJson(u"offsets.json"_s)[u"files"].toArray()) {
        QJsonObject tokenizer;
        if (const QString base = file[u"base"].toString(); !base.isEmpty())
            tokenizer = tokenizerJson(base + u".tokenizer.json"_s);
        const QJsonObject changes = file[u"changes"].toObject();
        for (auto change = changes.begin(); change != changes.end(); ++change)
            tokenizer[change.key()] = change.value();
        for (const auto& text : file[u"texts"].toArray())
            QTest::addRow("%s, %s", qUtf8Printable(file[u"name"].toString()),
                          qUtf8Printable(text[u"text"].toString()))
                << tokenizer << text.toObject();
    }
}

void TestTokenizerReference::letters() {
    QFETCH(QJsonObject, tokenizer);
    QFETCH(QJsonObject, expected);
    const QString text = expected[u"text"].toString();
    const auto encoding = makeTokenizer(tokenizer)->encode(text.toStdString(), false);
    QVERIFY(encoding);
    QStringList letters;
    for (const TextRange range : encoding->offsets)
        letters << text.mid(qsizetype(range.begin), qsizetype(range.end - range.begin));
    QJsonArray ids;
    for (const TokenId id : encoding->ids)
        ids << id;
    QCOMPARE(ids, expected[u"ids"].toArray());
    QCOMPARE(letters, expected[u"letters"].toVariant().toStringList());
}

const headscope::test::TestRegistration<TestTokenizerReference> registration;

} // namespace test_tokenizer_reference

#include "test_tokenizer_reference.moc"
