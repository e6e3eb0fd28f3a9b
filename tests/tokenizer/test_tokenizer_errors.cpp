#include "core/tokenizer/tokenizer.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

namespace test_tokenizer_errors {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

/// Files that are broken, absurd or ask for what is not implemented: one sentence each, which
/// names the file, the place, what was expected and what was found.
class TestTokenizerErrors : public QObject {
    Q_OBJECT

private slots:
    void startingPoint();
    void notJson_data();
    void notJson() { refused(); }
    void brokenVocabulary_data();
    void brokenVocabulary() { refused(); }
    void brokenAddedTokens_data();
    void brokenAddedTokens() { refused(); }
    void brokenParts_data();
    void brokenParts() { refused(); }
    void brokenModels_data();
    void brokenModels() { refused(); }
    void brokenMetaspace_data();
    void brokenMetaspace() { refused(); }
    void unsupported_data();
    void unsupported() { refused(); }

private:
    void refused();
};

namespace {

void addRow(const char* name, const char* what, const QByteArray& by, const QString& message) {
    QTest::newRow(name) << changed(what, by) << u"file.json: the tokenizer"_s + message;
}

} // namespace

void TestTokenizerErrors::startingPoint() {
    const auto tokenizer = readTokenizerJson(kSmallestFile.toStdString(), "file.json");
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE((*tokenizer)->encode("ab", true)->ids, (TokenIds{3, 2, 0}));
}

void TestTokenizerErrors::notJson_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& file, const QString& message) {
        QTest::newRow(name) << file << u"file.json: the tokenizer"_s + message;
    };
    row("empty", "", u" is not valid JSON at byte 1."_s);
    row("cut off", kSmallestFile.left(200), u" is not valid JSON at byte 201."_s);
    row("not UTF-8", "{\"version\": \"\xFF\"}", u" is not valid JSON at byte 14."_s);
    row("a number out of range", R"({"version": 1e999})",
        u" holds a number that is out of range."_s);
    row("a list", "[1]", u" must be an object, found an array."_s);
    row("an empty object", "{}", u"'s model must be an object, found null."_s);
}

void TestTokenizerErrors::brokenVocabulary_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const QString id = u"'s model.vocab.b must be a whole number from 0 to 4194303, found "_s;
    addRow("negative id", R"("b": 1)", R"("b": -1)", id + u"-1."_s);
    addRow("fractional id", R"("b": 1)", R"("b": 1.5)", id + u"1.5."_s);
    addRow("absurd id", R"("b": 1)", R"("b": 2000000000)", id + u"2000000000."_s);
    addRow("id beyond 64 bits", R"("b": 1)", R"("b": 99999999999999999999)", id + u"1e+20."_s);
    addRow("id as text", R"("b": 1)", R"("b": "1")", id + u"\"1\"."_s);
    addRow("no id", R"("b": 1)", R"("b": null)", id + u"null."_s);
    addRow("one id for two tokens", R"("b": 1)", R"("b": 0)",
           u"'s model.vocab gives the id 0 to both \"a\" and \"b\"."_s);
    addRow("vocabulary as a list", R"({"a": 0, "b": 1, "ab": 2})", R"(["a", "b", "ab"])",
           u"'s model.vocab must be an object, found an array."_s);
    addRow("no vocabulary", R"("vocab": {"a": 0, "b": 1, "ab": 2}, )", "",
           u"'s model.vocab must be an object, found null."_s);
    addRow("no merges", R"(, "merges": ["a b"])", "",
           u"'s model.merges must be an array, found null."_s);
    addRow("merge of one token", R"(["a b"])", R"(["ab"])",
           u"'s model.merges[0] must be two tokens (\"a b\" or [\"a\", \"b\"]), found \"ab\"."_s);
    addRow("merge of three tokens", R"(["a b"])", R"([["a", "b", "a"]])",
           u"'s model.merges[0] must be two tokens (\"a b\" or [\"a\", \"b\"]), found an array."_s);
    addRow("merge of a foreign token", R"(["a b"])", R"(["a b", "a c"])",
           u"'s model.merges[1] needs the token \"c\", which is not in the vocabulary."_s);
    addRow("merge into a foreign token", R"(["a b"])", R"(["b a"])",
           u"'s model.merges[0] needs the token \"ba\", which is not in the vocabulary."_s);
    addRow("byte_fallback without bytes", R"("merges")", R"("byte_fallback": true, "merges")",
           u"'s model has byte_fallback, and its vocabulary has no token \"<0x00>\"."_s);
    addRow("flag as a number", R"("merges")", R"("fuse_unk": 1, "merges")",
           u"'s model.fuse_unk must be true or false, found 1."_s);
    addRow("token as a number", R"("merges")", R"("unk_token": 3, "merges")",
           u"'s model.unk_token must be a string, found 3."_s);
    addRow("WordLevel without unk_token", R"("BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges")",
           R"("WordLevel", "vocab")", u"'s model.unk_token must be a string, found null."_s);
}

void TestTokenizerErrors::brokenAddedTokens_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    addRow("not a list", R"("added_tokens": [)", R"("added_tokens": 5, "x": [)",
           u" asks for the key \"x\", which Headscope does not implement; type token ids in place "
           "of text."_s);
    addRow("no flag", R"(, "special": true)", "",
           u"'s added_tokens[0].special must be true or false, found null."_s);
    addRow("no id", R"("id": 3, )", "",
           u"'s added_tokens[0].id must be a whole number from 0 to 4194303, found null."_s);
    addRow("another id than the model's", R"("content": "<s>")", R"("content": "a")",
           u"'s added_tokens[0] has the id 3 for \"a\", and the vocabulary has 0."_s);
    addRow("the id of another token", R"("id": 3)", R"("id": 1)",
           u"'s added_tokens[0] gives the id 1 to \"<s>\", and the vocabulary to \"b\"."_s);
    addRow("no content", R"("content": "<s>")", R"("content": "")",
           u"'s added_tokens[0].content is empty."_s);
    const QByteArray token = R"("single_word": false, "lstrip": false, "rstrip": false,
"normalized": false, "special": true})";
    addRow("a token twice", R"("special": true})",
           R"("special": true}, {"id": 4, "content": "<s>", )" + token,
           u"'s added_tokens[1] repeats the token \"<s>\" or its id 4."_s);
    addRow("an id twice", R"("special": true})",
           R"("special": true}, {"id": 3, "content": "<t>", )" + token,
           u"'s added_tokens[1] repeats the token \"<t>\" or its id 3."_s);
}

void TestTokenizerErrors::brokenParts_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto normalizer = [](const char* name, const char* by, const QString& message) {
        addRow(name, R"("normalizer": null)", by, message);
    };
    normalizer("Prepend without text", R"("normalizer": {"type": "Prepend"})",
               u"'s normalizer.prepend must be a string, found null."_s);
    normalizer("normalizer as text", R"("normalizer": "NFC")",
               u"'s normalizer must be an object, found \"NFC\"."_s);
    normalizer("a step without type",
               R"("normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {}]})",
               u"'s normalizer.normalizers[1].type must be a string, found null."_s);
    normalizer("an empty pattern",
               R"("normalizer": {"type": "Replace", "pattern": {"String": ""}, "content": ""})",
               u"'s normalizer.pattern is empty."_s);
    addRow(
        "a broken pattern", R"({"type": "Whitespace"})",
        R"({"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated", "invert": false})",
        u"'s pre_tokenizer.pattern is broken (missing closing parenthesis)."_s);
    addRow("no behavior", R"({"type": "Whitespace"})",
           R"({"type": "Split", "pattern": {"String": "a"}, "invert": false})",
           u"'s pre_tokenizer.behavior must be a string, found null."_s);
    addRow("Strip of two characters", R"("decoder": null)",
           R"("decoder": {"type": "Strip", "content": "ab", "start": 1, "stop": 0})",
           u"'s decoder.content must be one character, found \"ab\"."_s);
    const auto processor = [](const char* name, const QByteArray& by, const QString& message) {
        addRow(name, R"({"type": "BertProcessing", "cls": ["<s>", 3], "sep": ["a", 0]})", by,
               u"'s post_processor"_s + message);
    };
    processor("an id without token",
              R"({"type": "BertProcessing", "cls": ["<s>", 7], "sep": ["a", 0]})",
              u" adds the id 7, which has no token."_s);
    processor("an id alone", R"({"type": "BertProcessing", "cls": 3, "sep": ["a", 0]})",
              u".cls must be a token and its id, found 3."_s);
    const QByteArray start = R"({"type": "TemplateProcessing", "single": [{"SpecialToken": )";
    processor("an unlisted token", start + R"({"id": "x"}}], "special_tokens": {}})",
              u".special_tokens.x must be an object, found null."_s);
    processor("too few tokens",
              start +
                  R"({"id": "x"}}], "special_tokens": {"x": {"ids": [0, 1], "tokens": ["a"]}}})",
              u".special_tokens.x has 2 ids for 1 tokens."_s);
    processor("a second text",
              R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "B"}}]})",
              u".single[0].Sequence must be the sequence A, found an object."_s);
}

void TestTokenizerErrors::brokenModels_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto model = [](const char* name, const QByteArray& by, const QString& message) {
        addRow(name, R"({"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]})",
               by, u"'s model"_s + message);
    };
    const auto unigram = [&](const char* name, const QByteArray& vocabulary,
                             const QString& message) {
        model(name, R"({"type": "Unigram", "unk_id": 0, "vocab": )" + vocabulary + "}", message);
    };
    const QString pair = u" must be a token and its log-probability, found "_s;
    unigram("Unigram of an object", "{}", u".vocab must be an array, found an object."_s);
    unigram("Unigram without tokens", "[]", u".vocab is empty."_s);
    unigram("Unigram without scores", R"([["a", -1], "b"])", u".vocab[1]"_s + pair + u"\"b\"."_s);
    unigram("Unigram with a score as text", R"([["a", "x"]])",
            u".vocab[0]"_s + pair + u"an array."_s);
    // JSON has no NaN of its own; Python writes null or NaN.
    unigram("Unigram with a score of null", R"([["a", null]])",
            u".vocab[0]"_s + pair + u"an array."_s);
    unigram("Unigram with a token twice", R"([["a", -1], ["b", -2], ["a", -3]])",
            u".vocab gives \"a\" the ids 0 and 2."_s);
    model("Unigram with an absurd unknown id",
          R"({"type": "Unigram", "unk_id": 1, "vocab": [["a", -1]]})",
          u".unk_id must be a whole number from 0 to 0, found 1."_s);
    model("Unigram without bytes",
          R"({"type": "Unigram", "byte_fallback": true, "vocab": [["a", -1]]})",
          u" has byte_fallback, and its vocabulary has no token \"<0x00>\"."_s);
    model("WordPiece without unk_token", R"({"type": "WordPiece", "vocab": {"a": 0}})",
          u".unk_token must be a string, found null."_s);
    model("WordPiece with endless words",
          R"({"type": "WordPiece", "unk_token": "a", "max_input_chars_per_word": 100000})",
          u".max_input_chars_per_word must be a whole number from 0 to 1000, found 100000."_s);
    model("dropout as text", R"({"type": "BPE", "dropout": "x", "vocab": {}, "merges": []})",
          u".dropout must be a number, found \"x\"."_s);
}

void TestTokenizerErrors::brokenMetaspace_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const QByteArray& keys, const QString& message) {
        addRow(name, R"({"type": "Whitespace"})", R"({"type": "Metaspace", )" + keys + "}",
               u"'s pre_tokenizer"_s + message);
    };
    row("long replacement", R"("replacement": "__")",
        u".replacement must be one character, found \"__\"."_s);
    row("unknown scheme", R"("replacement": "_", "prepend_scheme": "last")",
        u".prepend_scheme must be \"always\", \"first\" or \"never\", found \"last\"."_s);
    row("two schemes",
        R"("replacement": "_", "prepend_scheme": "first", "add_prefix_space": false)",
        u" has a prepend_scheme against its add_prefix_space."_s);
    row("split as a number", R"("replacement": "_", "split": 1)",
        u".split must be true or false, found 1."_s);
    addRow("long delimiter", R"({"type": "Whitespace"})",
           R"({"type": "CharDelimiterSplit", "delimiter": ""})",
           u"'s pre_tokenizer.delimiter must be one character, found \"\"."_s);
    addRow("BpeDecoder without suffix", R"("decoder": null)",
           R"("decoder": {"type": "BPEDecoder", "suffix": ""})", u"'s decoder.suffix is empty."_s);
}

void TestTokenizerErrors::unsupported_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const char* what, const QByteArray& by,
                        const QString& request) {
        addRow(name, what, by,
               request + u", which Headscope does not implement; type token ids "
                         "in place of text."_s);
    };
    const auto type = [&](const char* part, const char* what, const char* name) {
        const QByteArray text = QByteArray("{\"type\": \"") + name + "\"}";
        row(qPrintable(QLatin1String(part) + u' ' + QLatin1String(name)), what,
            QByteArray("\"") + part + "\": " + text,
            u"'s %1 asks for the type \"%2\""_s.arg(QLatin1String(part), QLatin1String(name)));
    };
    for (const char* name : {"ByteLevel", "Other"})
        type("normalizer", R"("normalizer": null)", name);
    for (const char* name : {"UnicodeScripts", "FixedLength"})
        type("pre_tokenizer", R"("pre_tokenizer": {"type": "Whitespace"})", name);
    for (const char* name : {"CTC", "Other"})
        type("decoder", R"("decoder": null)", name);
    row("model", R"("type": "BPE")", R"("type": "Other")",
        u"'s model asks for the type \"Other\""_s);
    row("post-processor", R"("type": "BertProcessing")", R"("type": "Other")",
        u"'s post_processor asks for the type \"Other\""_s);
    row("inside a sequence", R"({"type": "Whitespace"})",
        R"({"type": "Sequence", "pretokenizers": [{"type": "UnicodeScripts"}]})",
        u"'s pre_tokenizer.pretokenizers[0] asks for the type \"UnicodeScripts\""_s);
    row("version", R"("1.0")", R"("2.0")", u" asks for the version \"2.0\""_s);
    row("key of the file", R"("decoder")", R"("extra": {}, "decoder")",
        u" asks for the key \"extra\""_s);
    row("key of the model", R"("merges")", R"("extra": 1, "merges")",
        u"'s model asks for the key \"extra\""_s);
    row("key of a part", R"("Whitespace")", R"("Whitespace", "extra": true)",
        u"'s pre_tokenizer asks for the key \"extra\""_s);
    row("behavior", R"({"type": "Whitespace"})",
        R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Other", "invert": false})",
        u"'s pre_tokenizer.behavior asks for \"Other\""_s);
    row("the text twice", R"({"type": "BertProcessing", "cls": ["<s>", 3], "sep": ["a", 0]})",
        R"({"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}},
        {"Sequence": {"id": "A"}}]})",
        u"'s post_processor asks for the text more than once"_s);
    row("a decoder that makes text longer", R"("decoder": null)",
        R"("decoder": {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})",
        u"'s decoder asks for a content that is longer than its pattern"_s);
    row("regular expression of a decoder", R"("decoder": null)",
        R"("decoder": {"type": "Replace", "pattern": {"Regex": "a"}, "content": ""})",
        u"'s decoder.pattern asks for the key \"Regex\""_s);
}

void TestTokenizerErrors::refused() {
    QFETCH(QByteArray, file);
    QFETCH(QString, message);
    QCOMPARE(refusal(file), message);
}

const headscope::test::TestRegistration<TestTokenizerErrors> registration;

} // namespace test_tokenizer_errors

#include "test_tokenizer_errors.moc"
