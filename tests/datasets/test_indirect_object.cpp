#include "core/datasets/indirect_object.h"
#include "tests/datasets/tokenizer_models.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QTest>

#include <map>
#include <set>

namespace test_indirect_object {

using namespace headscope;
using namespace headscope::test;

namespace {

std::string pieceAt(const Model& model, TokenId id) {
    return model.tokenizer->piece(id);
}

/// Positions at which `id` stands.
std::vector<std::size_t> positionsOf(const TokenIds& ids, TokenId id) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (ids[i] == id)
            positions.push_back(i);
    return positions;
}

/// What follows from the definition of the task, whatever the template.
void checkPrompt(const Model& model, const IndirectObjectPrompt& prompt) {
    const TokenIds& ids = prompt.ids;
    QVERIFY(prompt.io_token != prompt.s_token);
    QCOMPARE(positionsOf(ids, prompt.io_token), std::vector<std::size_t>{prompt.io});
    QCOMPARE(positionsOf(ids, prompt.s_token), (std::vector<std::size_t>{prompt.s1, prompt.s2}));
    QCOMPARE(prompt.s1_next, prompt.s1 + 1);
    QCOMPARE(prompt.io_first, prompt.io < prompt.s1);
    QVERIFY(prompt.io < prompt.s2 && prompt.s2 < prompt.end && prompt.end < ids.size());
    QVERIFY(QString::fromStdString(pieceAt(model, ids[prompt.end])).trimmed() == u"to");
    QVERIFY(prompt.text.ends_with(" to"));

    QCOMPARE(prompt.abc_ids.size(), ids.size());
    std::set<TokenId> names{prompt.io_token, prompt.s_token};
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (i == prompt.io || i == prompt.s1 || i == prompt.s2)
            QVERIFY(names.insert(prompt.abc_ids[i]).second);
        else
            QCOMPARE(prompt.abc_ids[i], ids[i]);
    }
}

std::string refusal(const Model& model) {
    const auto prompts = indirectObjectPrompts(model);
    return prompts ? "accepted" : prompts.error().message;
}

} // namespace

class TestIndirectObject : public QObject {
    Q_OBJECT

private slots:
    void sampleModels_data();
    void sampleModels();
    void bothOrdersOfEveryTemplate();
    void seeds();
    void knownPrompts();
    void otherTokenizers_data();
    void otherTokenizers();
    void withoutBos();
    void namesThatAreNoTokens_data();
    void namesThatAreNoTokens();
    void noTokenizer();
    void contextTooShort();
};

void TestIndirectObject::sampleModels_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"attn-only-2l", "bert-mini-4l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
        QTest::addRow("%s", name) << QString::fromLatin1(name);
}

void TestIndirectObject::sampleModels() {
    QFETCH(QString, name);
    const auto model = loadSample(name.toStdString());
    const auto prompts = require(indirectObjectPrompts(*model));
    QCOMPARE(prompts.size(), std::size_t{40});
    for (const IndirectObjectPrompt& prompt : prompts) {
        checkPrompt(*model, prompt);
        QVERIFY(prompt.has_bos);
        QCOMPARE(prompt.ids.front(), model->spec.bos_token.value());
        QCOMPARE(model->tokenizer->decode(prompt.ids, true), prompt.text);
    }
}

/// A template is known by what is left without names, places and objects.
void TestIndirectObject::bothOrdersOfEveryTemplate() {
    const auto model = loadSample("gpt2-mini-6l");
    std::map<std::string, std::set<bool>> orders;
    std::size_t io_first = 0;
    for (const IndirectObjectPrompt& prompt : require(indirectObjectPrompts(*model))) {
        io_first += prompt.io_first ? 1 : 0;
        const QStringList words = QString::fromStdString(prompt.text).split(u' ');
        const QString last_verb = words[words.size() - 4];
        orders[last_verb.toStdString()].insert(prompt.io_first);
    }
    QCOMPARE(io_first, std::size_t{20});
    QCOMPARE(orders.size(), std::size_t{8});
    for (const auto& [verb, both] : orders)
        QCOMPARE(both.size(), std::size_t{2});
}

void TestIndirectObject::seeds() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto texts = [&](std::uint64_t seed) {
        std::set<std::string> found;
        for (const IndirectObjectPrompt& prompt : require(indirectObjectPrompts(*model, 40, seed)))
            found.insert(prompt.text);
        return found;
    };
    QVERIFY(texts(0) == texts(0));
    QVERIFY(texts(0) != texts(1));
    QCOMPARE(texts(0).size(), std::size_t{40});
    QVERIFY(require(indirectObjectPrompts(*model, 0)).empty());
}

/// Positions counted by hand: one ABBA, one BABA, and "farm" is two tokens.
void TestIndirectObject::knownPrompts() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto prompts = require(indirectObjectPrompts(*model, 2));
    const IndirectObjectPrompt& abba = prompts[0];
    QCOMPARE(abba.text,
             std::string("When Grace and Kate walked to the park, Kate handed a flower to"));
    QCOMPARE(pieceAt(*model, abba.io_token), std::string(" Grace"));
    QCOMPARE(pieceAt(*model, abba.s_token), std::string(" Kate"));
    QCOMPARE(abba.io, std::size_t{2});
    QCOMPARE(abba.s1, std::size_t{4});
    QCOMPARE(abba.s1_next, std::size_t{5});
    QCOMPARE(abba.s2, std::size_t{10});
    QCOMPARE(abba.end, std::size_t{14});
    const IndirectObjectPrompt& baba = prompts[1];
    QCOMPARE(baba.text,
             std::string("When John and Sarah walked to the farm, John handed a drink to"));
    QCOMPARE(pieceAt(*model, baba.io_token), std::string(" Sarah"));
    QCOMPARE(pieceAt(*model, baba.s_token), std::string(" John"));
    QCOMPARE(baba.io, std::size_t{4});
    QCOMPARE(baba.s1, std::size_t{2});
    QCOMPARE(baba.s1_next, std::size_t{3});
    QCOMPARE(baba.s2, std::size_t{11});
    QCOMPARE(baba.end, std::size_t{15});
}

void TestIndirectObject::otherTokenizers_data() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"bert_cased", "bert_uncased", "gpt2", "llama3", "neox", "qwen2", "unigram"})
        QTest::addRow("%s", name) << QString::fromLatin1(name);
}

void TestIndirectObject::otherTokenizers() {
    QFETCH(QString, name);
    const Model model = modelWith(makeTokenizer(name));
    for (const IndirectObjectPrompt& prompt : require(indirectObjectPrompts(model)))
        checkPrompt(model, prompt);
}

void TestIndirectObject::withoutBos() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto with = require(indirectObjectPrompts(*model, 4, 0, BosMode::Yes));
    const auto without = require(indirectObjectPrompts(*model, 4, 0, BosMode::No));
    for (std::size_t i = 0; i < with.size(); ++i) {
        checkPrompt(*model, without[i]);
        QVERIFY(!without[i].has_bos);
        QCOMPARE(without[i].text, with[i].text);
        QCOMPARE(without[i].io + 1, with[i].io);
        QCOMPARE(without[i].end + 1, with[i].end);
    }
}

void TestIndirectObject::namesThatAreNoTokens_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"microgpt", "notebook", "induction-circuit"})
        QTest::addRow("%s", name) << QString::fromLatin1(name);
}

void TestIndirectObject::namesThatAreNoTokens() {
    QFETCH(QString, name);
    QCOMPARE(QString::fromStdString(refusal(*loadSample(name.toStdString()))),
             QStringLiteral("The indirect-object task needs 5 first names of one token each, and "
                            "of 48 common ones the tokenizer of %1 has 0.")
                 .arg(name));
}

void TestIndirectObject::noTokenizer() {
    QCOMPARE(refusal(modelWith(nullptr)),
             std::string("tiny has no tokenizer, so it cannot read the prompts of the "
                         "indirect-object task."));
}

void TestIndirectObject::contextTooShort() {
    Model model = modelWith(loadSample("gpt2-mini-6l")->tokenizer, 12);
    const auto refused = indirectObjectPrompts(model);
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, ErrorCode::TooLarge);
}

const headscope::test::TestRegistration<TestIndirectObject> registration;

} // namespace test_indirect_object

#include "test_indirect_object.moc"
