#include "core/pruning/passages.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>

namespace test_passages {

using namespace headscope;
using namespace headscope::test;

namespace {

std::string words(std::size_t first, std::size_t count) {
    std::string text;
    for (std::size_t i = first; i < first + count; ++i)
        text += "number " + std::to_string(i * i) + " stands here. ";
    return text;
}

} // namespace

class TestPassages : public QObject {
    Q_OBJECT

private slots:
    void causalTextIsCutAndPredicted();
    void masksAreThoseOfTheSeed();
    void documentsStayApart();
    void mostTokensAreTheMost();
    void sharedRunsAreFound();
    void refusals();
};

void TestPassages::causalTextIsCutAndPredicted() {
    const auto model = loadSample("gpt2-mini-6l");
    const PassageSet set = require(readPassages(*model, words(0, 40), "words", {64, 8192, 0}));
    QVERIFY(set.passages.size() > 3);
    QCOMPARE(set.documents, 1u);
    std::size_t tokens = 0;
    std::size_t targets = 0;
    TokenIds content;
    for (const Passage& passage : set.passages) {
        QVERIFY(passage.ids.size() <= 64);
        QCOMPARE(passage.ids.front(), *model->spec.bos_token);
        QCOMPARE(passage.targets.size(), passage.ids.size() - 1);
        for (const Target& target : passage.targets)
            QCOMPARE(target.token, passage.ids[target.position + 1]);
        tokens += passage.ids.size() - 1;
        targets += passage.targets.size();
        content.insert(content.end(), passage.ids.begin() + 1, passage.ids.end());
    }
    QCOMPARE(set.tokens, tokens);
    QCOMPARE(set.targets, targets);
    const TokenIds all = require(model->tokenizer->encode(words(0, 40) + "\n", false)).ids;
    QVERIFY(std::ranges::equal(
        content, TokenIds(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(content.size()))));
    QVERIFY(all.size() - content.size() < 16);
    QCOMPARE(set.hash.size(), 16u);
    QVERIFY(set.hash != require(readPassages(*model, words(1, 40), "words", {64, 8192, 0})).hash);
}

void TestPassages::masksAreThoseOfTheSeed() {
    const auto model = loadSample("bert-mini-4l");
    const PassageSet set = require(readPassages(*model, words(0, 40), "words", {64, 8192, 3}));
    const PassageSet other = require(readPassages(*model, words(0, 40), "words", {64, 8192, 4}));
    for (std::size_t i = 0; i < set.passages.size(); ++i) {
        const Passage& passage = set.passages[i];
        const auto content = static_cast<double>(set.content[i].size());
        QCOMPARE(passage.targets.size(), static_cast<std::size_t>(0.15 * content));
        QVERIFY(std::ranges::is_sorted(passage.targets, {}, &Target::position));
        TokenIds restored = passage.ids;
        for (const Target& target : passage.targets) {
            QCOMPARE(passage.ids[target.position], *model->spec.mask_token);
            restored[target.position] = target.token;
        }
        QVERIFY(std::ranges::equal(
            TokenIds(restored.end() - static_cast<std::ptrdiff_t>(set.content[i].size()),
                     restored.end()),
            set.content[i]));
    }
    QCOMPARE(set.hash, other.hash);
    QVERIFY(set.passages.front().ids != other.passages.front().ids);
}

void TestPassages::documentsStayApart() {
    const auto model = loadSample("gpt2-mini-6l");
    const std::string text =
        words(0, 14) + "\n<|endoftext|>\n" + words(50, 14) + "\n<|endoftext|>\n \n";
    const PassageSet set = require(readPassages(*model, text, "two", {256, 8192, 0}));
    QCOMPARE(set.documents, 2u);
    QCOMPARE(set.passages.size(), 2u);
    QCOMPARE(set.passages[1].document, 1u);
}

void TestPassages::mostTokensAreTheMost() {
    const auto model = loadSample("gpt2-mini-6l");
    const PassageSet set = require(readPassages(*model, words(0, 90), "words", {64, 150, 0}));
    QVERIFY(set.tokens <= 150);
    QVERIFY(set.tokens > 150 - 64);
}

void TestPassages::sharedRunsAreFound() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto read = [&](const std::string& text) {
        return require(readPassages(*model, text, "text.txt", {96, 8192, 0}));
    };
    const PassageSet calibration = read(words(0, 40));
    QVERIFY(checkApart(calibration, read(words(100, 40))));
    const auto shared = checkApart(calibration, read(words(100, 20) + words(10, 12)));
    QVERIFY(!shared);
    QVERIFY2(shared.error().message.find("stands in text.txt, too") != std::string::npos,
             shared.error().message.c_str());
    QVERIFY(!checkApart(calibration, calibration));
}

void TestPassages::refusals() {
    const auto model = loadSample("gpt2-mini-6l");
    QVERIFY(readPassages(*model, "Too short.", "short.txt")
                .error()
                .message.starts_with("short.txt is shorter than one passage of 128 tokens"));
    QVERIFY(readPassages(*model, words(0, 90), "long.txt", {1024, 8192, 0})
                .error()
                .message.starts_with("Passages of 1024 tokens do not fit the context"));
    auto without = std::make_shared<Model>(*model);
    without->tokenizer = nullptr;
    QVERIFY(readPassages(*without, words(0, 90), "text.txt")
                .error()
                .message.ends_with("has no tokenizer, so it cannot read text.txt."));
    auto maskless = std::make_shared<Model>(*loadSample("bert-mini-4l"));
    maskless->spec.mask_token.reset();
    QVERIFY(readPassages(*maskless, words(0, 90), "text.txt")
                .error()
                .message.find("has no mask token") != std::string::npos);
}

const headscope::test::TestRegistration<TestPassages> registration;

} // namespace test_passages

#include "test_passages.moc"
