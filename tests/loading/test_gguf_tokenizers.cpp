#include "core/base/text.h"
#include "core/io/tensor_source.h"
#include "core/loading/dialects/gguf/gguf_metadata.h"
#include "core/tokenizer/from_ggml.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QSet>
#include <QTest>

#include <nlohmann/json.hpp>

#include <fstream>

namespace test_gguf_tokenizers {

using namespace headscope;
using namespace Qt::StringLiterals;
using namespace headscope::test;
using nlohmann::json;

namespace {

const std::string kData = HEADSCOPE_TEST_DATA;

json metadataOf(const std::string& name) {
    const auto file = require(openTensorSource(kData + "/gguf/tokenizer-" + name + ".gguf"));
    return json::parse(file->text(kGgufMetadata).value());
}

Result<RewrittenTokenizer> rewritten(const json& metadata) {
    return ggufTokenizer(JsonValue(metadata), "m.gguf");
}

std::shared_ptr<const Tokenizer> made(const json& metadata) {
    return require(readTokenizerJson(require(rewritten(metadata)).json, "m.gguf"));
}

/// Every text that the original tokenizer was given.
json vectorsOf(const std::string& name) {
    return json::parse(std::ifstream(kData + "/tokenizers/" + name + ".vectors.json"))["vectors"];
}

const json& llamaCppData() {
    static const json data = json::parse(std::ifstream(kData + "/gguf/pre_tokenizers.json"));
    return data;
}

/// Every part of the text is a token, so that words become one each.
void mergeEverything(const QString& text, json& data) {
    QSet<QString> tokens;
    for (int end = 1; end <= text.size(); ++end)
        for (int begin = 0; begin < end; ++begin) {
            tokens.insert(text.mid(begin, end - begin));
            for (int middle = begin + 1; middle < end; ++middle)
                data["merges"].push_back(
                    (text.mid(begin, middle - begin) + u' ' + text.mid(middle, end - middle))
                        .toStdString());
        }
    for (const QString& token : tokens)
        data["tokens"].push_back(token.toStdString());
}

/// One vocabulary for every pre-tokenizer; its last token is <s>, the only special one.
json metadataWith(const json& data, const std::string& pre_tokenizer) {
    const std::size_t n_tokens = data["tokens"].size();
    std::vector<int> types(n_tokens, static_cast<int>(GgmlTokenType::Normal));
    types.back() = static_cast<int>(GgmlTokenType::Control);
    json metadata{{"tokenizer.ggml.model", "gpt2"},
                  {"tokenizer.ggml.tokens", data["tokens"]},
                  {"tokenizer.ggml.merges", data["merges"]},
                  {"tokenizer.ggml.token_type", types},
                  {"tokenizer.ggml.bos_token_id", n_tokens - 1}};
    if (!pre_tokenizer.empty())
        metadata["tokenizer.ggml.pre"] = pre_tokenizer;
    return metadata;
}

} // namespace

class TestGgufTokenizers : public QObject {
    Q_OBJECT

private slots:
    void sameTokens_data();
    void sameTokens();
    void wholeTokenizerInside();
    void flags();
    void preTokenizers_data();
    void preTokenizers();
    void asLlamaCpp_data();
    void asLlamaCpp();
    void originalsOfApproximations_data();
    void originalsOfApproximations();
    void pureGuess();
    void refused_data();
    void refused();
    void userDefinedTokens();
    void lowerCaseIsNoted();
};

/// Against Hugging Face tokenizers, and for sentencepiece against the library itself.
void TestGgufTokenizers::sameTokens_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "neox", "llama3", "bert_uncased", "bert_cased", "xlm_roberta",
                             "sentencepiece_bpe"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGgufTokenizers::sameTokens() {
    QFETCH(QString, name);
    const auto tokenizer = made(metadataOf(name.toStdString()));
    const bool is_piece = name == u"sentencepiece_bpe"_s; // whose vectors are without BOS
    for (const json& vector : vectorsOf(name.toStdString())) {
        const std::string text = vector["text"];
        const bool has_user_defined = text.find_first_of("\n<") != std::string::npos;
        if (is_piece && has_user_defined) // behind which sentencepiece itself puts no space
            continue;
        const auto encoding = require(tokenizer->encode(text, !is_piece));
        const std::string context = "on " + vector["text"].dump();
        QVERIFY2(encoding.ids == vector["ids"].get<TokenIds>(), context.c_str());
        if (vector.contains("ids_without_specials"))
            QVERIFY2(require(tokenizer->encode(text, false)).ids ==
                         vector["ids_without_specials"].get<TokenIds>(),
                     context.c_str());
        QVERIFY2(tokenizer->decode(encoding.ids, true) == vector["decoded"].get<std::string>(),
                 context.c_str());
    }
}

/// A tokenizer.json among the metadata is taken as it is.
void TestGgufTokenizers::wholeTokenizerInside() {
    json metadata = metadataOf("gpt2");
    metadata["tokenizer.huggingface.json"] = "{}";
    QCOMPARE(require(rewritten(metadata)).json, std::string("{}"));
}

void TestGgufTokenizers::flags() {
    json metadata = metadataOf("gpt2");
    metadata["tokenizer.ggml.bos_token_id"] = 0u;
    metadata["tokenizer.ggml.eos_token_id"] = 5u;
    const auto ids = [&] { return require(made(metadata)->encode("x", true)).ids; };
    QCOMPARE(ids().size(), std::size_t{1});
    metadata["tokenizer.ggml.add_bos_token"] = true;
    QCOMPARE(ids().front(), TokenId{0});
    QCOMPARE(made(metadata)->prefixToken(), std::optional<TokenId>(0));
    metadata["tokenizer.ggml.add_eos_token"] = true;
    QCOMPARE(ids().back(), TokenId{5});
    QCOMPARE(ids().size(), std::size_t{3});
    json llama = metadataOf("llama3"); // puts BOS before a text unless told not to
    QCOMPARE(require(made(llama)->encode("", true)).ids, TokenIds{0});
    llama["tokenizer.ggml.add_bos_token"] = false;
    QCOMPARE(require(made(llama)->encode("", true)).ids, TokenIds{});
}

/// What tells the pre-tokenizers apart, in tokens of single bytes and their words.
void TestGgufTokenizers::preTokenizers_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("tokens");
    const auto row = [](const char* name, const char* text, const char* tokens) {
        QTest::newRow((std::string(name) + " " + text).c_str())
            << QString::fromUtf8(name) << QString::fromUtf8(text) << QString::fromUtf8(tokens);
    };
    // The only merges are "1 1", "11 1", "111 1", "! !" and "Ġ 1".
    row("gpt-2", "1111", "1111");
    row("smollm", "1111", "1 1 1 1");
    row("smollm", " 1", "Ġ 1");
    row("gpt-2", " 1", "Ġ1");
    row("llama-bpe", "1111", "111 1");
    row("dbrx", "1111", "111 1");
    row("gpt-4o", "1111", "111 1");
    row("qwen2", "1111", "1 1 1 1");
    row("tekken", "1111", "1 1 1 1");
    row("falcon", "1111", "111 1");
    row("falcon", "!!11", "!! 11");
    row("bloom", " 1!!", "Ġ1 !!");
}

void TestGgufTokenizers::preTokenizers() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    QFETCH(QString, tokens);
    const json metadata{{"tokenizer.ggml.model", "gpt2"},
                        {"tokenizer.ggml.pre", name.toStdString()},
                        {"tokenizer.ggml.tokens", {"1", "!", "Ġ", "11", "111", "1111", "!!", "Ġ1"}},
                        {"tokenizer.ggml.merges", {"1 1", "11 1", "11 11", "! !", "Ġ 1"}}};
    const auto encoding = require(made(metadata)->encode(text.toStdString(), false));
    QCOMPARE(QString::fromStdString(join(encoding.tokens, " ")), tokens);
}

/// Ids of llama.cpp itself, by the names under which it knows each pre-tokenizer; a tokenizer that
/// is written gets one that means the same.
void TestGgufTokenizers::asLlamaCpp_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("row");
    const json& cases = llamaCppData()["cases"];
    for (std::size_t row = 0; row < cases.size(); ++row)
        for (const std::string name : cases[row]["names"])
            QTest::newRow(name.empty() ? "no name" : name.c_str())
                << QString::fromStdString(name) << static_cast<int>(row);
}

void TestGgufTokenizers::asLlamaCpp() {
    QFETCH(QString, name);
    QFETCH(int, row);
    const json& texts = llamaCppData()["texts"];
    const json& same = llamaCppData()["cases"][static_cast<std::size_t>(row)];
    const json metadata = metadataWith(llamaCppData(), name.toStdString());
    const auto tokenizer = made(metadata);
    QCOMPARE(same["ids"].size(), texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const json& expected = same["ids"][i];
        if (expected.is_null()) // llama.cpp approximates the original tokenizer
            continue;
        const json found = require(tokenizer->encode(texts[i].get<std::string>(), true)).ids;
        const std::string context =
            "on " + texts[i].dump() + ": " + found.dump() + ", expected " + expected.dump();
        QVERIFY2(found == expected, context.c_str());
    }
    const std::string file = require(rewritten(metadata)).json;
    const auto written = ggmlOf(file);
    QVERIFY(written);
    QCOMPARE(require(rewriteGgml(*written, "m.gguf")).json, file);
}

/// Words that the regular expressions of the models tell apart and llama.cpp does not.
void TestGgufTokenizers::originalsOfApproximations_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* text, const char* words) {
        QTest::newRow((std::string(name) + " " + text).c_str())
            << QString::fromLatin1(name) << QString::fromUtf8(text) << QString::fromUtf8(words);
    };
    row("gpt-4o", "aÜb", "a Ãľb");
    row("llama4", "aÜb", "a Ãľb");
    row("tiny_aya", "aÜb", "a Ãľb");
    row("tiny_aya", "theCase", "the Case");
    row("tiny_aya", "1234567", "1 234 567");
    row("tiny_aya", "1234.", "1 234 .");
    row("tiny_aya", "1234a", "123 4 a");
    row("tiny_aya", "1234_a", "123 4 _a");
}

void TestGgufTokenizers::originalsOfApproximations() {
    QFETCH(QString, name);
    QFETCH(QString, text);
    QFETCH(QString, words);
    json data{{"tokens", json::array()}, {"merges", json::array()}};
    mergeEverything(QString(words).remove(u' '), data);
    data["tokens"].push_back("<s>");
    const auto tokenizer = made(metadataWith(data, name.toStdString()));
    const auto encoding = require(tokenizer->encode(text.toStdString(), false));
    QCOMPARE(QString::fromStdString(join(encoding.tokens, " ")), words);
}

/// Without a name, or with that of no model, any other tokenizer is better.
void TestGgufTokenizers::pureGuess() {
    json metadata = metadataOf("gpt2");
    QVERIFY(!require(rewritten(metadata)).is_guess);
    metadata["tokenizer.ggml.pre"] = "default";
    QVERIFY(require(rewritten(metadata)).is_guess);
    metadata.erase("tokenizer.ggml.pre");
    QVERIFY(require(rewritten(metadata)).is_guess);
    metadata = metadataOf("xlm_roberta"); // which needs none
    QVERIFY(metadata["tokenizer.ggml.pre"] == "default");
    QVERIFY(!require(rewritten(metadata)).is_guess);
}

void TestGgufTokenizers::refused_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* key, const char* value, const char* message) {
        QTest::newRow(message) << QString::fromLatin1(key) << QString::fromLatin1(value)
                               << QString::fromLatin1(message);
    };
    row("pre", "\"of-tomorrow\"",
        "its pre-tokenizer \"of-tomorrow\" is not known; put the model's");
    row("model", "\"rwkv\"",
        "its kind \"rwkv\" is not known; put the model's tokenizer.json beside");
    row("model", "null", "it names no kind.");
    row("tokens", "[]", "it holds no tokens.");
    row("tokens", R"(["a", "a"])", "it has 900 token types for 2 tokens.");
    row("merges", "[]", "it is a BPE without merges.");
    row("model", "\"llama\"",
        "it is a sentencepiece model whose tokens have no scores, or all the");
}

void TestGgufTokenizers::refused() {
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, message);
    json metadata = metadataOf("gpt2");
    metadata["tokenizer.ggml." + key.toStdString()] = json::parse(value.toStdString());
    const auto found = rewritten(metadata);
    QVERIFY(!found);
    QVERIFY2(found.error().message.starts_with("m.gguf: " + message.toStdString()),
             found.error().message.c_str());
    QVERIFY(found.error().message.ends_with('.'));
}

/// Behind a token that users defined llama.cpp puts a space, and sentencepiece does not.
void TestGgufTokenizers::userDefinedTokens() {
    json metadata = metadataOf("sentencepiece_bpe");
    QCOMPARE(require(rewritten(metadata)).notes.size(), std::size_t{1});
    const auto tokens = [&] { return require(made(metadata)->encode("<mask>a", false)).tokens; };
    QCOMPARE(tokens(), (std::vector<std::string>{"<mask>", "▁a"}));
    metadata["tokenizer.ggml.add_space_prefix"] = false;
    QCOMPARE(tokens(), (std::vector<std::string>{"<mask>", "a"}));
    QVERIFY(require(rewritten(metadata)).notes.empty());
}

/// The file does not say whether texts are made lower case.
void TestGgufTokenizers::lowerCaseIsNoted() {
    const auto notes = require(rewritten(metadataOf("bert_uncased"))).notes;
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY(notes[0].starts_with("Texts are made lower case"));
}

const headscope::test::TestRegistration<TestGgufTokenizers> registration;

} // namespace test_gguf_tokenizers

#include "test_gguf_tokenizers.moc"
