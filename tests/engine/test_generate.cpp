#include "core/engine/engine.h"
#include "core/engine/generate.h"
#include "core/engine/loss.h"
#include "core/engine/run_item.h"
#include "core/model/prompt.h"
#include "core/tensor/nonlinear.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

namespace test_generate {

using namespace headscope;
using namespace headscope::test;

namespace {

/// A request for logits alone, as a run behind earlier tokens needs it.
Request onlyLogits() {
    Request request;
    request.keep_attention = false;
    return request;
}

/// logits [position, d_vocab] of a text that is read in parts of such lengths, each behind those
/// before it.
Tensor logitsInParts(const std::shared_ptr<const Model>& model, const TokenIds& text,
                     const std::vector<std::size_t>& lengths, const HeadMask& mask = {}) {
    const auto earlier = std::make_shared<KeyValues>(model, text.size());
    Tensor logits({text.size(), model->spec.outputs()});
    std::size_t read = 0;
    for (const std::size_t length : lengths) {
        RunItem item;
        item.ids.assign(text.begin() + static_cast<std::ptrdiff_t>(read),
                        text.begin() + static_cast<std::ptrdiff_t>(read + length));
        item.earlier = earlier;
        addAblation(item.hooks, mask, model->spec);
        const auto runs = require(runBatch(model, {&item, 1}, onlyLogits()));
        std::ranges::copy(runs.front()->logits.values(), logits.matrix().row(read));
        read += length;
    }
    return logits;
}

/// 3, then one at a time, and the rest at once.
std::vector<std::size_t> someParts(std::size_t tokens) {
    return {3, 1, 1, tokens - 5};
}

TokenIds idsOf(const std::vector<GeneratedToken>& tokens) {
    TokenIds ids;
    for (const GeneratedToken& token : tokens)
        ids.push_back(token.id);
    return ids;
}

TokenIds storeIds(const Model& model) {
    return require(promptFromText(model, "When Mary and John went to the store, John gave a",
                                  BosMode::Auto))
        .ids;
}

/// What the whole network predicts behind a text, run anew.
Tensor lastLogits(const std::shared_ptr<const Model>& model, const TokenIds& text,
                  const HeadMask& mask = {}) {
    Request request;
    request.logit_positions = {text.size() - 1};
    HookSet hooks;
    addAblation(hooks, mask, model->spec);
    return require(runModel(model, text, request, hooks))->logits;
}

/// `count` of the most probable tokens, each found by a run of the whole text.
TokenIds greedyByWholeRuns(const std::shared_ptr<const Model>& model, TokenIds text,
                           std::size_t count, const HeadMask& mask = {}) {
    TokenIds found;
    for (std::size_t i = 0; i < count; ++i) {
        found.push_back(topPredictions(lastLogits(model, text, mask), 0, 1).front().id);
        text.push_back(found.back());
    }
    return found;
}

} // namespace

class TestGenerate : public QObject {
    Q_OBJECT

private slots:
    void partsGiveWhatTheWholeGives_data();
    void partsGiveWhatTheWholeGives();
    void ablatedHeadsStayAblated();
    void tokensThatAreNoPositionsAreNotCounted();
    void promptsOfABatchGrowApart();
    void greedyIsWhatWholeRunsGive();
    void stretchedPositionsAreRunAnew();
    void drawsByTheProbabilities();
    void seedsRepeat();
    void endsWithTheContext();
    void endsBeforeWhatIsNoText();
    void whatCannotBe();
    void failuresLeaveEarlierTokensAlone();
};

void TestGenerate::partsGiveWhatTheWholeGives_data() {
    QTest::addColumn<QString>("name");
    for (const auto& names : {fixtureNames(), variantNames(), clippedNames()})
        for (const std::string& name : names) {
            const auto model = loadFixture(name);
            const ModelSpec& spec = model->spec;
            const std::size_t tokens =
                ReferenceFile(fixtureReference(name)).ids("input_ids").size();
            if (spec.causal && spec.output != OutputHead::None && keepsKeys(spec, 3, tokens))
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
        }
}

/// Against the logits of the family's own program.
void TestGenerate::partsGiveWhatTheWholeGives() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const ReferenceFile reference(fixtureReference(name.toStdString()));
    const TokenIds ids = reference.ids("input_ids");
    QVERIFY(ids.size() > 5);
    const Difference found = difference(logitsInParts(model, ids, someParts(ids.size())).view(),
                                        reference.floats("logits").view());
    QVERIFY2(found.relative <= 1e-4, qPrintable(QString::number(found.relative)));
}

/// z of earlier tokens is ablated as that of later ones is.
void TestGenerate::ablatedHeadsStayAblated() {
    const auto model = loadSample("gpt2-mini-6l");
    const TokenIds ids = storeIds(*model);
    HeadMask mask;
    mask.set({0, 3}, AblationKind::Zero);
    mask.set({4, 1}, AblationKind::Zero);
    HookSet hooks;
    addAblation(hooks, mask, model->spec);
    const auto whole = require(runModel(model, ids, {}, hooks));
    QVERIFY(difference(logitsInParts(model, ids, someParts(ids.size()), mask).view(),
                       whole->logits.view())
                .relative < 1e-5);
}

void TestGenerate::tokensThatAreNoPositionsAreNotCounted() {
    ModelSpec spec = loadFixture("opt")->spec;
    spec.uncounted_token = 3;
    const auto model = livelyRandomModel(spec, 11);
    const TokenIds text{5, 3, 6, 7, 3, 8, 9, 3, 4};
    const auto whole = require(runModel(model, text));
    QVERIFY(
        difference(logitsInParts(model, text, someParts(text.size())).view(), whole->logits.view())
            .relative < 1e-5);
}

void TestGenerate::promptsOfABatchGrowApart() {
    const auto model = loadSample("gpt2-mini-6l");
    const TokenIds text = storeIds(*model);
    std::vector<RunItem> items(2);
    for (RunItem& item : items)
        item.earlier = std::make_shared<KeyValues>(model, text.size());
    const auto run = [&](TokenIds a, TokenIds b) {
        items[0].ids = std::move(a);
        items[1].ids = std::move(b);
        return require(runBatch(model, items, onlyLogits()));
    };
    (void)run({text.begin(), text.begin() + 7}, {text.begin(), text.begin() + 2});
    const auto runs = run({text.begin() + 7, text.end()}, {text.begin() + 2, text.begin() + 4});
    const auto whole = require(runModel(model, text));
    const auto rowOf = [](const Tensor& logits, std::size_t row) {
        return std::vector<float>(logits.matrix().row(row),
                                  logits.matrix().row(row) + logits.dim(1));
    };
    const auto apart = [&](const Tensor& found, std::size_t position) {
        const auto one = rowOf(found, found.dim(0) - 1);
        const auto other = rowOf(whole->logits, position);
        double most = 0.0;
        for (std::size_t i = 0; i < one.size(); ++i)
            most = std::max(most, std::abs(double{one[i]} - double{other[i]}));
        return most;
    };
    QVERIFY(apart(runs[0]->logits, text.size() - 1) < 1e-3);
    QVERIFY(apart(runs[1]->logits, 3) < 1e-3);
    QCOMPARE(items[0].earlier->ids, text);
    QCOMPARE(items[1].earlier->ids.size(), std::size_t{4});
}

void TestGenerate::greedyIsWhatWholeRunsGive() {
    const auto model = loadSample("gpt2-mini-6l");
    const TokenIds prompt = storeIds(*model);
    QCOMPARE(idsOf(require(generate(model, prompt, {.tokens = 12}))),
             greedyByWholeRuns(model, prompt, 12));
    for (const AblationKind kind : {AblationKind::Zero, AblationKind::Mean}) {
        GenerateOptions options{.tokens = 6};
        options.mask.set({4, 1}, kind);
        options.mask.set({3, 5}, kind);
        std::vector<GeneratedToken> heard;
        const auto found = require(generate(model, prompt, options, {}, {},
                                            [&](const GeneratedToken& t) { heard.push_back(t); }));
        QCOMPARE(idsOf(found), greedyByWholeRuns(model, prompt, 6, options.mask));
        QCOMPARE(idsOf(heard), idsOf(found));
        const Tensor logits = lastLogits(model, prompt, options.mask);
        QVERIFY(std::abs(found.front().probability -
                         topPredictions(logits, 0, 1).front().probability) < 1e-4);
    }
}

void TestGenerate::stretchedPositionsAreRunAnew() {
    ModelSpec spec = loadFixture("llama")->spec;
    spec.rotary.scaling = RotaryScalingKind::Dynamic;
    spec.rotary.factor = 4.0;
    spec.rotary.original_context = 8.0;
    const auto model = livelyRandomModel(spec, 5);
    QVERIFY(keepsKeys(spec, 3, 8) && !keepsKeys(spec, 8, 9));
    const TokenIds prompt{1, 2, 3, 4, 5};
    QCOMPARE(idsOf(require(generate(model, prompt, {.tokens = 8}))),
             greedyByWholeRuns(model, prompt, 8));
    RunItem item;
    item.earlier = std::make_shared<KeyValues>(model, 20);
    item.ids = prompt;
    QVERIFY(runBatch(model, {&item, 1}, onlyLogits()));
    const auto refused = runBatch(model, {&item, 1}, onlyLogits()); // 10 tokens by now
    QVERIFY(!refused && refused.error().message.find("stretched") != std::string::npos);
}

void TestGenerate::drawsByTheProbabilities() {
    const auto model = loadFixture("gpt2");
    const TokenIds prompt{1, 2, 3};
    constexpr double temperature = 0.7;
    constexpr std::size_t draws = 2000;
    const Tensor logits = lastLogits(model, prompt);
    std::vector<float> scaled(logits.values().begin(), logits.values().end());
    for (float& value : scaled)
        value = static_cast<float>(double{value} / temperature);
    const double normaliser = logSumExp(scaled);
    std::map<TokenId, std::size_t> counts;
    for (std::size_t seed = 0; seed < draws; ++seed) {
        const auto token = require(
            generate(model, prompt, {.tokens = 1, .temperature = temperature, .seed = seed}));
        ++counts[token.front().id];
        QVERIFY(std::abs(token.front().probability -
                         std::exp(-tokenLoss(logits.values(), token.front().id))) < 1e-5);
    }
    for (std::size_t id = 0; id < scaled.size(); ++id) {
        const double p = std::exp(double{scaled[id]} - normaliser);
        const double spread = std::sqrt(static_cast<double>(draws) * p * (1.0 - p));
        const double off = std::abs(static_cast<double>(counts[static_cast<TokenId>(id)]) -
                                    static_cast<double>(draws) * p);
        QVERIFY2(off <= 5.0 * spread + 1.0, qPrintable(QString::number(id)));
    }
}

void TestGenerate::seedsRepeat() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto of = [&](std::uint64_t seed) {
        return idsOf(require(
            generate(model, storeIds(*model), {.tokens = 8, .temperature = 1.0, .seed = seed})));
    };
    QCOMPARE(of(7), of(7));
    QVERIFY(of(7) != of(8) || of(7) != of(9));
}

void TestGenerate::endsWithTheContext() {
    const auto model = loadFixture("gpt2");
    const std::size_t context = model->spec.n_ctx;
    const TokenIds prompt(context - 3, 1);
    QCOMPARE(require(generate(model, prompt, {.tokens = 20})).size(), std::size_t{3});
    const auto full = generate(model, TokenIds(context, 1), {.tokens = 20});
    QVERIFY(!full && full.error().code == ErrorCode::TooLarge);
}

void TestGenerate::endsBeforeWhatIsNoText() {
    Model ending = *loadSample("gpt2-mini-6l");
    const TokenIds prompt = storeIds(ending);
    ending.weights.b_U = Tensor({ending.spec.d_vocab});
    const auto written = [&] {
        return generate(std::make_shared<const Model>(ending), prompt, {.tokens = 4});
    };
    QCOMPARE(require(written()).size(), std::size_t{4});
    QVERIFY(ending.tokenizer->isSpecial(*ending.spec.bos_token));
    ending.weights.b_U.values()[static_cast<std::size_t>(*ending.spec.bos_token)] = 1e3f;
    QCOMPARE(require(written()).size(), std::size_t{0});
}

void TestGenerate::whatCannotBe() {
    const auto bert = loadSample("bert-mini-4l");
    QVERIFY(!generate(bert, {1, 2}, {}));
    const auto model = loadSample("gpt2-mini-6l");
    QVERIFY(!generate(model, {1}, {.temperature = -1.0}));
    const auto greedy = require(generate(model, {1}, {.tokens = 2}));
    for (const double cold : {1e-300, 1e-320, 1e-38}) // no logit becomes infinite
        QCOMPARE(require(generate(model, {1}, {.tokens = 2, .temperature = cold})).front().id,
                 greedy.front().id);
    QVERIFY(!generate(model, {1}, {.temperature = std::nan("")}));
    QVERIFY(!generate(model, {}, {}));
    GenerateOptions resampled;
    resampled.mask.set({0, 0}, AblationKind::Resample);
    QVERIFY(!generate(model, {1}, resampled));
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = generate(model, {1}, {}, {}, stop.get_token());
    QVERIFY(!stopped && stopped.error().code == ErrorCode::Cancelled);

    RunItem item;
    item.ids = {1, 2};
    item.earlier = std::make_shared<KeyValues>(loadFixture("gpt2"), 8);
    QCOMPARE(runBatch(model, {&item, 1}, onlyLogits()).error().code, ErrorCode::Mismatch);
    item.earlier = std::make_shared<KeyValues>(model, 1);
    QVERIFY(!runBatch(model, {&item, 1}, onlyLogits())); // no room
    item.earlier = std::make_shared<KeyValues>(model, 8);
    QVERIFY(!runBatch(model, {&item, 1})); // keeps attention
    item.hooks.capture("blocks.0.attn.hook_pattern");
    const auto hooked = runBatch(model, {&item, 1}, onlyLogits());
    QVERIFY(!hooked && hooked.error().message.find("patterns") != std::string::npos);
    item.earlier = std::make_shared<KeyValues>(bert, 8);
    item.hooks = {};
    QVERIFY(!runBatch(bert, {&item, 1}, onlyLogits())); // reads both ways
}

void TestGenerate::failuresLeaveEarlierTokensAlone() {
    const auto model = loadSample("gpt2-mini-6l");
    const TokenIds text = storeIds(*model);
    RunItem item;
    item.earlier = std::make_shared<KeyValues>(model, text.size());
    item.ids.assign(text.begin(), text.begin() + 5);
    QVERIFY(runBatch(model, {&item, 1}, onlyLogits()));
    const TokenIds before = item.earlier->ids;
    std::stop_source stop;
    item.read_logits = [&](std::size_t, std::span<const float>) { stop.request_stop(); };
    item.ids.assign(text.begin() + 5, text.end());
    QVERIFY(!runBatch(model, {&item, 1}, onlyLogits(), stop.get_token()));
    QCOMPARE(item.earlier->ids, before);
    item.read_logits = {};
    const auto again = require(runBatch(model, {&item, 1}, onlyLogits()));
    const Tensor whole = lastLogits(model, text);
    QCOMPARE(topPredictions(again.front()->logits, item.ids.size() - 1, 1).front().id,
             topPredictions(whole, 0, 1).front().id);
}

const headscope::test::TestRegistration<TestGenerate> registration;

} // namespace test_generate

#include "test_generate.moc"
