#include "tests/support/tokenizer_files.h"

#include "core/tokenizer/tokenizer.h"

#include <QFile>
#include <QJsonDocument>
#include <QStringList>
#include <QTest>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace headscope::test {

namespace {

/// Text with quotation marks, without which Qt takes a U+FEFF at its start for a mark of UTF-8.
QString inQuotes(const std::string& text) {
    return QString::fromStdString('"' + text + '"');
}

QString inQuotes(const QJsonValue& text) {
    return u'"' + text.toString() + u'"';
}

/// One line per token: its id and itself.
QStringList described(const TokenIds& ids, const QStringList& tokens) {
    QStringList lines;
    for (std::size_t i = 0; i < ids.size(); ++i)
        lines << QStringLiteral("%1 %2").arg(ids[i]).arg(tokens.value(qsizetype(i)));
    return lines;
}

QString shown(TextRange range) {
    return QStringLiteral("[%1, %2)").arg(range.begin).arg(range.end);
}

/// Hugging Face gives what is put before a text the first letter, which is another token's, and
/// takes a token its own first letter where it trims such a space. Here what is put before a text
/// has no letter, and each other token has its own.
bool isOwn(TextRange ours, qsizetype token, const std::vector<TextRange>& theirs) {
    const TextRange other = theirs[std::size_t(token)];
    const bool is_empty = ours.begin == ours.end;
    if (ours == other || (is_empty && other.begin == other.end))
        return true;
    if (is_empty) // the next token has the letter, too
        return ours.begin == other.begin && other.end == other.begin + 1 &&
               std::size_t(token) + 1 < theirs.size() &&
               theirs[std::size_t(token) + 1].begin == other.begin;
    return ours.end == other.end && ours.begin + 1 == other.begin &&
           std::ranges::none_of(theirs, [&](TextRange range) { // who else has the letter
               return range.begin <= ours.begin && ours.begin < range.end;
           });
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
    QStringList tokens;
    for (const std::string& token : encoding->tokens)
        tokens << inQuotes(token);
    QStringList expected;
    std::vector<TextRange> theirs;
    for (const auto& token : reference[u"tokens"].toArray())
        expected << inQuotes(token);
    for (const auto& range : reference[u"offsets"].toArray())
        theirs.push_back({std::size_t(range[0].toInt()), std::size_t(range[1].toInt())});
    QCOMPARE(described(encoding->ids, tokens),
             described(idList(reference[u"ids"].toArray()), expected));
    for (qsizetype i = 0; i < tokens.size(); ++i)
        QVERIFY2(isOwn(encoding->offsets[std::size_t(i)], i, theirs),
                 qPrintable(QStringLiteral("token %1 %2 is %3, expected %4")
                                .arg(i)
                                .arg(tokens[i], shown(encoding->offsets[std::size_t(i)]),
                                     shown(theirs[std::size_t(i)]))));
    const auto bare = tokenizer.encode(text, false);
    QVERIFY(bare);
    QCOMPARE(bare->ids, idList(reference[u"ids_without_specials"].toArray()));
    QCOMPARE(inQuotes(tokenizer.decode(encoding->ids, true)), inQuotes(reference[u"decoded"]));
    QCOMPARE(inQuotes(tokenizer.decode(encoding->ids, false)),
             inQuotes(reference[u"decoded_keep_specials"]));
}

} // namespace headscope::test
