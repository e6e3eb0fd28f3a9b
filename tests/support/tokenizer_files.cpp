#include "tests/support/tokenizer_files.h"

#include "core/tokenizer/tokenizer.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

namespace headscope::test {

namespace {

/// Text with quotation marks, without which Qt takes a U+FEFF at its start for a mark of UTF-8.
QString inQuotes(const std::string& text) {
    return QString::fromStdString('"' + text + '"');
}

QString inQuotes(const QJsonValue& text) {
    return u'"' + text.toString() + u'"';
}

QString line(TokenId id, const QString& token, TextRange range) {
    return QStringLiteral("%1 %2 [%3, %4)\n")
        .arg(QString::number(id), token, QString::number(range.begin), QString::number(range.end));
}

/// One line per token: id, token, offsets.
QString description(const Encoding& encoding) {
    QString text;
    for (std::size_t i = 0; i < encoding.ids.size(); ++i)
        text += line(encoding.ids[i], inQuotes(encoding.tokens[i]), encoding.offsets[i]);
    return text;
}

QString description(const QJsonObject& reference) {
    QString text;
    const QJsonArray ids = reference[u"ids"].toArray();
    for (qsizetype i = 0; i < ids.size(); ++i) {
        const QJsonArray range = reference[u"offsets"][i].toArray();
        text += line(ids[i].toInt(), inQuotes(reference[u"tokens"][i]),
                     {std::size_t(range[0].toInt()), std::size_t(range[1].toInt())});
    }
    return text;
}

TokenIds idList(const QJsonArray& array) {
    TokenIds ids;
    for (const auto& id : array)
        ids.push_back(id.toInt());
    return ids;
}

} // namespace

const QByteArray kSmallestFile = R"({"version": "1.0", "truncation": null, "padding": null,
"added_tokens": [{"id": 3, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false,
"normalized": false, "special": true}], "normalizer": null, "pre_tokenizer": {"type": "Whitespace"},
"post_processor": {"type": "BertProcessing", "cls": ["<s>", 3], "sep": ["a", 0]}, "decoder": null,
"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}})";

QByteArray changed(const QByteArray& what, const QByteArray& by) {
    QByteArray file = kSmallestFile;
    if (!file.contains(what))
        qFatal("%s is not in the file", what.constData());
    return file.replace(what, by);
}

QByteArray tokenizerFile(const QString& name) {
    QFile file(QStringLiteral(HEADSCOPE_TEST_DATA "/tokenizers/") + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("%s cannot be read", qUtf8Printable(file.fileName()));
    return file.readAll();
}

QJsonObject tokenizerJson(const QString& name) {
    const auto document = QJsonDocument::fromJson(tokenizerFile(name));
    if (!document.isObject())
        qFatal("%s is not a JSON object", qUtf8Printable(name));
    return document.object();
}

std::shared_ptr<const Tokenizer> makeTokenizer(const QString& family) {
    return makeTokenizer(tokenizerJson(family + QStringLiteral(".tokenizer.json")));
}

std::shared_ptr<const Tokenizer> makeTokenizer(const QJsonObject& json) {
    const std::string text = QJsonDocument(json).toJson().toStdString();
    const auto tokenizer = readTokenizerJson(text, "file.json");
    if (!tokenizer)
        qFatal("%s", tokenizer.error().message.c_str());
    return *tokenizer;
}

QString refusal(const QByteArray& json) {
    const auto tokenizer = readTokenizerJson({json.data(), std::size_t(json.size())}, "file.json");
    return tokenizer ? QStringLiteral("accepted")
                     : QString::fromStdString(tokenizer.error().message);
}

void compareWithReference(const Tokenizer& tokenizer, const QJsonObject& reference) {
    const std::string text = reference[u"text"].toString().toStdString();
    const auto encoding = tokenizer.encode(text, true);
    QVERIFY2(encoding, encoding ? "" : encoding.error().message.c_str());
    QCOMPARE(description(*encoding), description(reference));
    const auto bare = tokenizer.encode(text, false);
    QVERIFY(bare);
    QCOMPARE(bare->ids, idList(reference[u"ids_without_specials"].toArray()));
    QCOMPARE(inQuotes(tokenizer.decode(encoding->ids, true)), inQuotes(reference[u"decoded"]));
    QCOMPARE(inQuotes(tokenizer.decode(encoding->ids, false)),
             inQuotes(reference[u"decoded_keep_specials"]));
}

} // namespace headscope::test
