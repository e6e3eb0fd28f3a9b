#include "core/model/prompt.h"
#include "tests/support/model_variant.h"
#include "tests/support/runner.h"

#include <QObject>
#include <QTest>

#include <algorithm>

namespace test_prompt {

using namespace headscope;
using headscope::test::loadUnchanged;
using headscope::test::ModelVariant;

namespace {

/// The notebook with a post-processor that puts <BOS> in front and <EOS> behind.
std::shared_ptr<const Model> modelWithTemplate() {
    ModelVariant variant("notebook");
    variant.config["n_positions"] = 5;
    auto tokenizer = nlohmann::json::parse(variant.tokenizer.value());
    tokenizer["post_processor"] = nlohmann::json::parse(R"({"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "<BOS>", "type_id": 0}},
                   {"Sequence": {"id": "A", "type_id": 0}},
                   {"SpecialToken": {"id": "<EOS>", "type_id": 0}}],
        "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {"<BOS>": {"id": "<BOS>", "ids": [1], "tokens": ["<BOS>"]},
                           "<EOS>": {"id": "<EOS>", "ids": [2], "tokens": ["<EOS>"]}}})");
    variant.tokenizer = tokenizer.dump();
    return variant.loaded();
}

std::string messageOf(const Result<Prompt>& prompt) {
    return prompt ? std::string() : prompt.error().message;
}

} // namespace

class TestPrompt : public QObject {
    Q_OBJECT

private slots:
    void rules_data();
    void rules();
    void ruleWithoutTokenizer();
    void ruleOfThePostProcessor();
    void textWithBos();
    void bosIsNeverAddedTwice();
    void bosOnRequest();
    void idsAreRunAsTheyAre();
    void postProcessorAddsItsTokens();
    void emptyText();
    void spacesAlone();
    void tooLong();
    void notUtf8();
    void noTokenizer();
    void ids();
    void idsOutOfRange();
    void tokenOfAText();
    void parsesIds_data();
    void parsesIds();
    void display_data();
    void display();
};

void TestPrompt::rules_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<bool>("add");
    QTest::addColumn<QString>("reason");
    const QString own = QStringLiteral("The tokenizer adds no BOS token by itself; the config ");
    const QString first = own + QStringLiteral("names bos_token_id 0 (<|endoftext|>), so prompts "
                                               "begin with it once.");
    for (const char* name : {"gpt2-mini-6l", "attn-only-2l", "llama-mini-gqa-4l", "bert-mini-4l"})
        QTest::addRow("%s", name) << QString::fromUtf8(name) << true << first;
    QTest::addRow("microgpt")
        << QStringLiteral("microgpt") << true
        << own + QStringLiteral("names bos_token_id 26 (<BOS>), so prompts begin with it once.");
    QTest::addRow("notebook")
        << QStringLiteral("notebook") << false
        << QStringLiteral("Neither the config nor the tokenizer says that texts begin with a BOS "
                          "token, so prompts have none.");
}

void TestPrompt::rules() {
    QFETCH(QString, model);
    QFETCH(bool, add);
    QFETCH(QString, reason);
    const auto loaded = loadUnchanged(model.toStdString());
    const BosRule rule = bosRule(*loaded);
    QCOMPARE(rule.add, add);
    QCOMPARE(QString::fromStdString(rule.reason), reason);
    QCOMPARE(QString::fromStdString(loaded->report.bos_rule), reason);
}

void TestPrompt::ruleWithoutTokenizer() {
    const auto model = loadUnchanged("llama");
    QCOMPARE(bosRule(*model).reason,
             std::string("The config names bos_token_id 1, so random sequences begin with it once; "
                         "token ids are run as they are given."));
    ModelVariant outside("llama");
    outside.config["bos_token_id"] = 97;
    const auto ignoring = outside.loaded();
    QVERIFY(!bosRule(*ignoring).add);
    QVERIFY(std::ranges::count(ignoring->report.notes,
                               "bos_token_id 97 is outside the vocabulary of 97 tokens and is not "
                               "used.") == 1);
}

void TestPrompt::ruleOfThePostProcessor() {
    const auto model = modelWithTemplate();
    const BosRule rule = bosRule(*model);
    QVERIFY(rule.add);
    QCOMPARE(rule.reason,
             std::string("The tokenizer begins every text with token 1 (<BOS>); prompts begin with "
                         "it once."));
    QCOMPARE(model->spec.bos_token, std::optional<TokenId>(1));
}

void TestPrompt::textWithBos() {
    const auto model = loadUnchanged("gpt2-mini-6l");
    const auto with = promptFromText(*model, "When Mary", BosMode::Auto);
    const auto without = promptFromText(*model, "When Mary", BosMode::No);
    QVERIFY(with && without);
    QVERIFY(with->has_bos);
    QVERIFY(!without->has_bos);
    QCOMPARE(promptFromInput(*model, "When Mary", BosMode::Auto)->ids, with->ids);
    QCOMPARE(with->ids.front(), TokenId{0});
    QCOMPARE(TokenIds(with->ids.begin() + 1, with->ids.end()), without->ids);
    QCOMPARE(with->text, std::string("When Mary"));
    QCOMPARE(with->pieces.front(), std::string("<|endoftext|>"));
    QCOMPARE(with->offsets.front(), TextRange{});
    QCOMPARE(with->pieces.size(), with->ids.size());
    QCOMPARE(with->offsets.size(), with->ids.size());
    QCOMPARE(with->offsets.back().end, std::size_t{9});
    std::string joined;
    for (const std::string& piece : without->pieces)
        joined += piece;
    QCOMPARE(joined, std::string("When Mary"));
    QCOMPARE(with->bos_reason, bosRule(*model).reason);
    QCOMPARE(without->bos_reason, std::string("BOS is switched off."));
}

void TestPrompt::bosIsNeverAddedTwice() {
    const auto model = loadUnchanged("gpt2-mini-6l");
    for (const BosMode mode : {BosMode::Auto, BosMode::Yes, BosMode::No}) {
        const auto prompt = promptFromText(*model, "<|endoftext|>When", mode);
        QVERIFY(prompt);
        QCOMPARE(prompt->ids[0], TokenId{0});
        QVERIFY(prompt->ids[1] != 0);
        QVERIFY(prompt->has_bos);
        QCOMPARE(prompt->bos_reason,
                 std::string("The prompt itself begins with token 0 (<|endoftext|>)."));
        const auto ids = promptFromIds(*model, {0, 5}, mode);
        QVERIFY(ids);
        QCOMPARE(ids->ids, (TokenIds{0, 5}));
        QVERIFY(ids->has_bos);
    }
    const auto templated = promptFromText(*modelWithTemplate(), "<BOS> I like", BosMode::Auto);
    QVERIFY(templated);
    QCOMPARE(templated->ids, (TokenIds{1, 3, 4, 2}));
    QCOMPARE(templated->bos_reason, std::string("The prompt itself begins with token 1 (<BOS>)."));
}

/// Texts of this model begin with BOS; ids are those that someone wants to run.
void TestPrompt::idsAreRunAsTheyAre() {
    const auto model = loadUnchanged("gpt2-mini-6l");
    QVERIFY(bosRule(*model).add);
    const auto given = promptFromIds(*model, {1, 5}, BosMode::Auto);
    QVERIFY(given);
    QCOMPARE(given->ids, (TokenIds{1, 5}));
    QVERIFY(!given->has_bos);
    QCOMPARE(given->bos_reason, std::string("Token ids are run as they are given, without BOS."));
    const auto asked = promptFromIds(*model, {1, 5}, BosMode::Yes);
    QVERIFY(asked);
    QCOMPARE(asked->ids, (TokenIds{0, 1, 5}));
}

void TestPrompt::bosOnRequest() {
    const auto notebook = loadUnchanged("notebook");
    const auto plain = promptFromText(*notebook, "I like", BosMode::Auto);
    QVERIFY(plain);
    QCOMPARE(plain->ids, (TokenIds{3, 4}));
    QVERIFY(!plain->has_bos);
    const auto asked = promptFromText(*notebook, "I like", BosMode::Yes);
    QVERIFY(asked);
    QCOMPARE(asked->ids, (TokenIds{1, 3, 4}));
    QCOMPARE(asked->bos_reason, std::string("BOS is switched on: token 1 (<BOS>)."));

    const auto nameless = loadUnchanged("bert");
    QCOMPARE(
        messageOf(promptFromIds(*nameless, {3}, BosMode::Yes)),
        std::string("bert names no BOS token in its config or tokenizer; turn BOS off or begin "
                    "the prompt with the token you mean."));
}

void TestPrompt::postProcessorAddsItsTokens() {
    const auto model = modelWithTemplate();
    const auto prompt = promptFromText(*model, "I like", BosMode::Auto);
    QVERIFY(prompt);
    QCOMPARE(prompt->ids, (TokenIds{1, 3, 4, 2}));
    QVERIFY(prompt->has_bos);
    QCOMPARE(prompt->bos_reason, bosRule(*model).reason);
    const auto bare = promptFromText(*model, "I like", BosMode::No);
    QVERIFY(bare);
    QCOMPARE(bare->ids, (TokenIds{3, 4}));
}

void TestPrompt::emptyText() {
    const std::string expected =
        "The prompt is empty, expected at least one token; type some text.";
    const auto gpt2 = loadUnchanged("gpt2-mini-6l");
    QCOMPARE(messageOf(promptFromText(*gpt2, "", BosMode::No)), expected);
    QCOMPARE(messageOf(promptFromText(*loadUnchanged("notebook"), "   ", BosMode::Auto)), expected);
    const auto bos_alone = promptFromText(*gpt2, "", BosMode::Auto);
    QVERIFY2(bos_alone, messageOf(bos_alone).c_str());
    QCOMPARE(bos_alone->ids, TokenIds{0});
    QVERIFY(bos_alone->has_bos);
    const auto added = promptFromText(*modelWithTemplate(), " ", BosMode::Auto);
    QVERIFY2(added, messageOf(added).c_str());
    QCOMPARE(added->ids, (TokenIds{1, 2}));
    QCOMPARE(added->bos_reason, bosRule(*modelWithTemplate()).reason);
    const auto nothing = tokensOfText(*gpt2, "", BosMode::No);
    QVERIFY(nothing && nothing->ids.empty());
    QCOMPARE(messageOf(promptFromIds(*loadUnchanged("notebook"), {}, BosMode::Auto)),
             std::string("The prompt is empty, expected at least one token id."));
}

/// trim_offsets leaves a token of spaces an empty range.
void TestPrompt::spacesAlone() {
    ModelVariant variant("gpt2-mini-6l");
    auto tokenizer = nlohmann::json::parse(variant.tokenizer.value());
    tokenizer["post_processor"] = {{"type", "ByteLevel"},
                                   {"add_prefix_space", false},
                                   {"trim_offsets", true},
                                   {"use_regex", true}};
    variant.tokenizer = tokenizer.dump();
    const auto model = variant.loaded();
    const auto prompt = promptFromText(*model, "   ", BosMode::No);
    QVERIFY2(prompt, messageOf(prompt).c_str());
    QVERIFY(!prompt->ids.empty());
    QCOMPARE(prompt->offsets.front().begin, prompt->offsets.front().end);
}

void TestPrompt::tooLong() {
    const auto model = loadUnchanged("gpt2-mini-6l");
    TokenIds ids(256, 7);
    QVERIFY(promptFromIds(*model, ids, BosMode::No));
    QVERIFY(promptFromIds(*model, ids, BosMode::Auto));
    const auto refused = promptFromIds(*model, ids, BosMode::Yes);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::TooLarge);
    QCOMPARE(refused.error().message,
             std::string("The prompt has 257 tokens with BOS, but gpt2-mini-6l reads at most 256; "
                         "shorten it by 1."));
    std::string text;
    for (int i = 0; i < 300; ++i)
        text += " the";
    const std::string message = messageOf(promptFromText(*model, text, BosMode::No));
    QCOMPARE(message, std::string("The prompt has 300 tokens, but gpt2-mini-6l reads at most 256; "
                                  "shorten it by 44."));
}

void TestPrompt::notUtf8() {
    QVERIFY(!promptFromText(*loadUnchanged("gpt2-mini-6l"), "abc\xFFxyz", BosMode::Auto));
}

void TestPrompt::noTokenizer() {
    const auto model = loadUnchanged("gpt2");
    QCOMPARE(
        messageOf(promptFromText(*model, "hello", BosMode::Auto)),
        std::string("gpt2 has no tokenizer, so it cannot read text; give token ids, or put the "
                    "model's tokenizer.json beside its file."));
    const auto prompt = promptFromIds(*model, {5, 96}, BosMode::Auto);
    QVERIFY(prompt);
    QCOMPARE(prompt->ids, (TokenIds{5, 96}));
    QCOMPARE(prompt->pieces, (std::vector<std::string>{"⟨5⟩", "⟨96⟩"}));
    const auto typed = promptFromInput(*model, "5, 96", BosMode::Auto);
    QVERIFY(typed);
    QCOMPARE(typed->ids, prompt->ids);
    QCOMPARE(messageOf(promptFromInput(*model, "hello", BosMode::Auto)),
             parseTokenIds("hello").error().message);
}

void TestPrompt::ids() {
    const auto model = loadUnchanged("notebook");
    const auto prompt = promptFromIds(*model, {1, 3, 4, 5, 2}, BosMode::Auto);
    QVERIFY(prompt);
    QVERIFY(prompt->text.empty());
    QVERIFY(prompt->has_bos);
    QCOMPARE(prompt->offsets, std::vector<TextRange>(5));
    QCOMPARE(prompt->pieces,
             (std::vector<std::string>{"<BOS>", "I", "like", "transformers", "<EOS>"}));
}

void TestPrompt::idsOutOfRange() {
    const auto model = loadUnchanged("notebook");
    QCOMPARE(messageOf(promptFromIds(*model, {1, 3, 6}, BosMode::Auto)),
             std::string("The token id 6 at position 2 is outside the vocabulary of notebook, "
                         "expected 0 to 5."));
    QVERIFY(!promptFromIds(*model, {-1}, BosMode::Auto));
    Model narrow = *model; // its tokenizer knows more tokens than it has embeddings
    narrow.spec.d_vocab = 5;
    const std::string expected = "The token id 5 (transformers) at position 1 is outside the "
                                 "vocabulary of notebook, expected "
                                 "0 to 4.";
    QCOMPARE(messageOf(promptFromText(narrow, "like transformers", BosMode::Auto)), expected);
    const auto token = tokenFromText(narrow, "transformers");
    QVERIFY(!token);
    QCOMPARE(token.error().message,
             std::string("The token id 5 (transformers) is outside the vocabulary of notebook, "
                         "expected 0 to 4."));
}

void TestPrompt::tokenOfAText() {
    const auto model = loadUnchanged("gpt2-mini-6l");
    const auto token = tokenFromText(*model, " Mary");
    QVERIFY(token);
    QCOMPARE(tokenPiece(*model, *token), std::string(" Mary"));
    const auto two = tokenFromText(*model, " Mary and");
    QVERIFY(!two);
    QVERIFY2(two.error().message.starts_with("\" Mary and\" is 2 tokens, not one"),
             two.error().message.c_str());
    QVERIFY(!tokenFromText(*loadUnchanged("gpt2"), " Mary"));
}

void TestPrompt::parsesIds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("ids");
    QTest::addColumn<QString>("error");
    const QString kind =
        QStringLiteral(" is no token id, expected whole numbers separated by commas or spaces.");
    QTest::addRow("commas") << QStringLiteral("1,2,3") << QStringLiteral("1 2 3") << QString();
    QTest::addRow("mixed") << QStringLiteral(" 1, 2\t3\n") << QStringLiteral("1 2 3") << QString();
    QTest::addRow("being typed") << QStringLiteral("1,2,") << QStringLiteral("1 2") << QString();
    QTest::addRow("a gap") << QStringLiteral("1, ,2") << QString()
                           << QStringLiteral("There is a comma without a token id before it; "
                                             "leave it out.");
    QTest::addRow("word") << QStringLiteral("1 two") << QString() << QStringLiteral("'two'") + kind;
    QTest::addRow("fraction") << QStringLiteral("1.5") << QString()
                              << QStringLiteral("'1.5'") + kind;
    QTest::addRow("too large") << QStringLiteral("99999999999") << QString()
                               << QStringLiteral("'99999999999'") + kind;
    QTest::addRow("empty") << QStringLiteral(" , ") << QString()
                           << QStringLiteral("There are no token ids, expected whole numbers "
                                             "separated by commas or spaces.");
}

void TestPrompt::parsesIds() {
    QFETCH(QString, text);
    QFETCH(QString, ids);
    QFETCH(QString, error);
    const auto parsed = parseTokenIds(text.toStdString());
    QCOMPARE(static_cast<bool>(parsed), error.isEmpty());
    if (!parsed) {
        QCOMPARE(QString::fromStdString(parsed.error().message), error);
        return;
    }
    QStringList numbers;
    for (const TokenId id : *parsed)
        numbers << QString::number(id);
    QCOMPARE(numbers.join(QLatin1Char(' ')), ids);
}

void TestPrompt::display_data() {
    QTest::addColumn<QByteArray>("piece");
    QTest::addColumn<QByteArray>("shown");
    QTest::addRow("word") << QByteArray(" the") << QByteArray("·the");
    QTest::addRow("newline") << QByteArray("\n\n") << QByteArray("⏎⏎");
    QTest::addRow("tab") << QByteArray("\ta b") << QByteArray("⇥a·b");
    QTest::addRow("bell") << QByteArray("\x07") << QByteArray("\\u{7}");
    QTest::addRow("return") << QByteArray("\r\n") << QByteArray("\\u{d}⏎");
    QTest::addRow("zero") << QByteArray("a\0b", 3) << QByteArray("a\\u{0}b");
    QTest::addRow("C1 control") << QByteArray("\u0085") << QByteArray("\\u{85}");
    QTest::addRow("right-to-left override") << QByteArray("\u202Ex") << QByteArray("\\u{202e}x");
    QTest::addRow("line separator") << QByteArray("\u2028") << QByteArray("\\u{2028}");
    QTest::addRow("emoji family") << QByteArray("👩\u200D👧") << QByteArray("👩\u200D👧");
    QTest::addRow("special") << QByteArray("<|endoftext|>") << QByteArray("<|endoftext|>");
    QTest::addRow("accents") << QByteArray("Ünïcödé") << QByteArray("Ünïcödé");
    QTest::addRow("not UTF-8") << QByteArray("a\xFF") << QByteArray("a\uFFFD");
    QTest::addRow("empty") << QByteArray("") << QByteArray("");
}

void TestPrompt::display() {
    QFETCH(QByteArray, piece);
    QFETCH(QByteArray, shown);
    QCOMPARE(QByteArray::fromStdString(displayPiece(piece.toStdString())), shown);
}

const headscope::test::TestRegistration<TestPrompt> registration;

} // namespace test_prompt

#include "test_prompt.moc"
