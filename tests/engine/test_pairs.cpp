#include "core/engine/engine.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"
#include "tests/support/tokenizer_files.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <cmath>
#include <string>

namespace test_pairs {

using namespace headscope;
using namespace headscope::test;
using namespace Qt::StringLiterals;

namespace {

constexpr const char* kFirst = "the cat sat on the mat";
constexpr const char* kSecond = "the dogs lay on a rug";

TokenIds numbersOf(const QJsonValue& list) {
    TokenIds numbers;
    for (const auto& number : list.toArray())
        numbers.push_back(number.toInt());
    return numbers;
}

TokenIds segmentsOf(const Prompt& prompt) {
    return {prompt.segments.begin(), prompt.segments.end()};
}

/// One of the tokenizers of pairs.json, in a model that is nothing else.
Model modelOf(const QJsonObject& family) {
    QJsonObject tokenizer =
        tokenizerJson(family[u"base"].toString(family[u"name"].toString()) + u".tokenizer.json"_s);
    const QJsonObject changes = family[u"changes"].toObject();
    for (auto change = changes.begin(); change != changes.end(); ++change)
        tokenizer[change.key()] = change.value();
    Model model;
    model.name = family[u"name"].toString().toStdString();
    model.tokenizer = makeTokenizer(tokenizer);
    model.spec.d_vocab = model.tokenizer->vocabularySize();
    model.spec.bos_token = model.tokenizer->prefixToken();
    model.spec.n_ctx = 100;
    return model;
}

/// By absolute difference, and by that over the largest value.
void compare(const std::string& group, const TokenIds& ids) {
    const auto model = loadFixture("bert-pair");
    const ReferenceFile reference(fixtureReference("bert-pair"));
    const auto run = require(runModel(model, ids));
    const Tensor expected = reference.floats(group + "/attentions");
    const std::size_t entries = ids.size() * ids.size();
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        for (std::size_t head = 0; head < model->spec.n_heads; ++head) {
            const Tensor pattern = run->pattern({layer, head});
            const std::size_t first = (layer * model->spec.n_heads + head) * entries;
            for (std::size_t i = 0; i < entries; ++i)
                QVERIFY2(std::abs(pattern.values()[i] - expected.values()[first + i]) <= 1e-5F,
                         qPrintable(QStringLiteral("L%1H%2 at %3").arg(layer).arg(head).arg(i)));
        }
    const Difference logits =
        difference(run->logits.view(), reference.floats(group + "/logits").view());
    QVERIFY2(logits.relative <= 1e-4, std::to_string(logits.relative).c_str());
}

} // namespace

/// Two texts that are one prompt, against transformers and tokenizers.
class TestPairs : public QObject {
    Q_OBJECT

private slots:
    void tokenizersSeparateTwoTexts_data() {
        QTest::addColumn<QJsonObject>("family");
        for (const auto& family : tokenizerJson(u"pairs.json"_s)[u"families"].toArray())
            QTest::newRow(qPrintable(family[u"name"].toString())) << family.toObject();
    }
    void tokenizersSeparateTwoTexts();
    void segmentsAreThoseOfTransformers_data() {
        QTest::addColumn<QString>("group");
        for (const char* group : {"pair", "single", "typed"})
            QTest::newRow(group) << QString::fromLatin1(group);
    }
    void segmentsAreThoseOfTransformers();
    void segmentsAreSaid();
    void aPairIsFoundInItsText();
    void whatIsNoPairIsRefused();
    void templatesOfAnotherFormSeparateNothing();
};

void TestPairs::tokenizersSeparateTwoTexts() {
    QFETCH(QJsonObject, family);
    Model model = modelOf(family);
    const bool is_bert = family[u"name"].toString().startsWith(u"bert"_s);
    if (is_bert) {
        model.spec.n_token_types = 2;
        model.spec.segment_separator = model.tokenizer->id("[SEP]");
    }
    for (const auto& pair : family[u"pairs"].toArray()) {
        const auto text = pairText(model, pair[u"first"].toString().toStdString(),
                                   pair[u"second"].toString().toStdString());
        if (!is_bert && pair[u"first"].toString().isEmpty()) {
            QVERIFY(!text); // it would begin with BOS twice, and prompts do not
            continue;
        }
        const Prompt prompt = require(promptFromText(model, require(text), BosMode::Auto));
        QCOMPARE(prompt.ids, numbersOf(pair[u"ids"]));
        QCOMPARE(segmentsOf(prompt), is_bert ? numbersOf(pair[u"segments"]) : TokenIds());
    }
}

void TestPairs::segmentsAreThoseOfTransformers() {
    QFETCH(QString, group);
    const auto model = loadFixture("bert-pair");
    const ReferenceFile reference(fixtureReference("bert-pair"));
    const std::string name = group.toStdString();
    std::string text = kFirst;
    if (name == "pair")
        text = require(pairText(*model, kFirst, kSecond));
    if (name == "typed")
        text += std::string(" [SEP] ") + kSecond;
    const Prompt prompt = require(promptFromText(*model, text, BosMode::Auto));
    QCOMPARE(prompt.ids, reference.ids(name + "/input_ids"));
    QCOMPARE(segmentsOf(prompt), reference.ids(name + "/token_type_ids"));
    compare(name, prompt.ids);
}

void TestPairs::segmentsAreSaid() {
    const auto model = loadFixture("bert-pair");
    const auto said = [&](std::string_view text) {
        return segmentsText(*model, require(promptFromText(*model, text, BosMode::Auto)));
    };
    QCOMPARE(said("the cat [SEP] a dog"), std::string("0 for 4 tokens, 1 for the 3 after [SEP]"));
    QCOMPARE(said("the cat"), std::string("0 for all tokens; 1 begins after the first [SEP]"));
    const auto mini = loadSample("bert-mini-4l");
    QCOMPARE(segmentsText(*mini, require(promptFromText(*mini, "the cat", BosMode::Auto))),
             std::string("0 for all tokens, as no template of two texts says otherwise"));
    const auto causal = loadSample("gpt2-mini-6l");
    QCOMPARE(segmentsText(*causal, require(promptFromText(*causal, "the cat", BosMode::Auto))),
             std::string());
}

void TestPairs::aPairIsFoundInItsText() {
    const auto model = loadFixture("bert-pair");
    const auto pair = pairOf(*model, require(pairText(*model, "a cat", "a dog")));
    QVERIFY(pair);
    QCOMPARE(pair->first, std::string("a cat"));
    QCOMPARE(pair->second, std::string("a dog"));
    QVERIFY(!pairOf(*model, "a cat"));
    QVERIFY(!pairOf(*loadSample("gpt2-mini-6l"), "a cat[SEP]a dog"));
}

void TestPairs::whatIsNoPairIsRefused() {
    const auto model = loadFixture("bert-pair");
    const auto messageOf = [](const Result<std::string>& text) {
        return text ? std::string() : text.error().message;
    };
    QCOMPARE(
        messageOf(pairText(*model, "a [SEP] cat", "a dog")),
        std::string("The first text holds [SEP], so the tokenizer of bert-pair does not read these "
                    "as two texts; write them as one prompt."));
    QCOMPARE(messageOf(pairText(*loadSample("gpt2-mini-6l"), "a", "b")),
             std::string("The tokenizer of gpt2-mini-6l does not say how two texts are separated; "
                         "write them as one prompt."));
    QVERIFY(messageOf(pairText(*loadFixture("bert"), "a", "b")).find("has no tokenizer") !=
            std::string::npos);
}

void TestPairs::templatesOfAnotherFormSeparateNothing() {
    QJsonObject tokenizer = tokenizerJson(u"bert_cased.tokenizer.json"_s);
    QJsonObject processor = tokenizer[u"post_processor"].toObject();
    const QJsonArray pair = processor[u"pair"].toArray();
    const auto placesOf = [&](const QJsonValue& changed) {
        processor[u"pair"] = changed;
        tokenizer[u"post_processor"] = processor;
        return makeTokenizer(tokenizer)->pairTemplate().size();
    };
    QCOMPARE(placesOf(pair), 5u);
    QCOMPARE(placesOf(QJsonValue::Null), 0u);
    QCOMPARE(placesOf(QJsonArray{pair[1], pair[3]}), 0u);                   // nothing between
    QCOMPARE(placesOf(QJsonArray{pair[3], pair[2], pair[1]}), 0u);          // turned round
    QCOMPARE(placesOf(QJsonArray{pair[1], pair[2], pair[3], pair[3]}), 0u); // one of them twice
}

const headscope::test::TestRegistration<TestPairs> registration;

} // namespace test_pairs

#include "test_pairs.moc"
