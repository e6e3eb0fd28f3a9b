// Runs that take the start of their prompt over from another run, against runs of the whole prompt.

#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/run_item.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace test_known_start {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kRelative = 1e-5; ///< products of fewer rows add in another order

/// What a run showed to those who looked.
struct Seen {
    std::shared_ptr<const Run> run;
    std::map<std::size_t, std::vector<float>> logits; ///< by position
    std::map<LayerHead, Tensor> patterns;             ///< [query, key], as observers saw them
};

/// Puts the blocks of patterns together again.
class Collect : public PatternObserver {
public:
    Collect(const ModelSpec& spec, std::size_t positions) {
        for (const LayerHead head : spec.allHeads())
            patterns[head] = Tensor({positions, positions});
    }

    void observe(const PatternBlock& block) override {
        Tensor& whole = patterns.at(block.head);
        for (std::size_t row = 0; row < block.queries.size(); ++row)
            std::copy_n(block.weights.row(row), block.keys.size(),
                        whole.matrix().row(block.queries.begin + row) + block.keys.begin);
    }

    std::map<LayerHead, Tensor> patterns;
};

Request readingLogits() {
    Request request;
    request.logits = false;
    request.keep_values = true;
    return request;
}

/// Values and z of all layers, so that hooks see the whole text.
HookSet capturing() {
    HookSet hooks;
    hooks.capture(HookKind::V);
    hooks.capture(HookKind::Z);
    return hooks;
}

/// What a run of one prompt gives, its logits read as they come.
Result<Seen> readLogitsOf(const std::shared_ptr<const Model>& model, RunItem item) {
    Seen seen;
    std::mutex mutex;
    item.read_logits = [&](std::size_t position, std::span<const float> logits) {
        const std::lock_guard lock(mutex);
        seen.logits[position].assign(logits.begin(), logits.end());
    };
    auto runs = runBatch(model, {&item, 1}, readingLogits());
    if (!runs)
        return runs.error();
    seen.run = runs->front();
    return seen;
}

Result<Seen> tryRun(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                    const KnownStart& known, const HookSet& hooks) {
    Collect collect(model->spec, ids.size());
    RunItem item;
    item.ids = ids;
    item.known = known;
    item.hooks = hooks;
    item.observers = {&collect};
    auto seen = readLogitsOf(model, std::move(item));
    if (seen)
        seen->patterns = std::move(collect.patterns);
    return seen;
}

Seen run(const std::shared_ptr<const Model>& model, const TokenIds& ids,
         const KnownStart& known = {}, const HookSet& hooks = capturing()) {
    return require(tryRun(model, ids, known, hooks));
}

/// The same where nobody looks at the attention of known positions.
Seen runUnseen(const std::shared_ptr<const Model>& model, const TokenIds& ids,
               const KnownStart& known = {}) {
    RunItem item;
    item.ids = ids;
    item.known = known;
    Seen seen = require(readLogitsOf(model, std::move(item)));
    for (const LayerHead head : model->spec.allHeads())
        seen.patterns[head] = seen.run->pattern(head);
    return seen;
}

/// A text that begins alike and goes on with other tokens.
TokenIds otherEnd(const TokenIds& ids, std::size_t start, std::size_t length) {
    TokenIds other(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(start));
    while (other.size() < length) {
        const TokenId next = ids[other.size() % ids.size()];
        other.push_back(next == ids.front() ? ids.back() : ids.front());
    }
    return other;
}

void compareTensors(const Tensor& found, const Tensor& expected, const char* what) {
    QCOMPARE(found.shape(), expected.shape());
    if (expected.empty())
        return;
    const Difference apart = difference(found.view(), expected.view());
    QVERIFY2(apart.relative <= kRelative || apart.absolute <= kRelative,
             qPrintable(QStringLiteral("%1: %2").arg(QLatin1String(what)).arg(apart.relative)));
}

/// All but the logits of what was known.
void compareRuns(const Seen& found, const Seen& whole, std::size_t known) {
    QCOMPARE(found.run->ids, whole.run->ids);
    QCOMPARE(found.run->attention.size(), whole.run->attention.size());
    for (std::size_t layer = 0; layer < whole.run->attention.size(); ++layer) {
        const LayerAttention& attention = found.run->attention[layer];
        const LayerAttention& expected = whole.run->attention[layer];
        compareTensors(attention.q, expected.q, "q");
        compareTensors(attention.k, expected.k, "k");
        compareTensors(attention.v, expected.v, "v");
        QCOMPARE(attention.lse.size(), expected.lse.size());
    }
    QCOMPARE(found.run->captured.size(), whole.run->captured.size());
    for (const auto& [point, expected] : whole.run->captured)
        compareTensors(found.run->captured.at(point), expected, "captured");
    for (const auto& [head, expected] : whole.patterns) {
        compareTensors(found.patterns.at(head), expected, "observed");
        compareTensors(found.run->pattern(head), expected, "pattern");
    }
    QCOMPARE(found.logits.size(), whole.logits.empty() ? 0 : whole.run->positions() - known);
    for (const auto& [position, logits] : found.logits) {
        QVERIFY(position >= known);
        const auto matrix = [](const std::vector<float>& row) {
            Tensor copy({row.size()});
            std::ranges::copy(row, copy.data());
            return copy;
        };
        compareTensors(matrix(logits), matrix(whole.logits.at(position)), "logits");
    }
}

const TokenIds kIds{5, 17, 3, 42, 5, 17, 9, 3, 11};

} // namespace

class TestKnownStart : public QObject {
    Q_OBJECT

private slots:
    void isAsTheWholeRun_data();
    void isAsTheWholeRun();
    void isTakenOver();
    void attentionIsTakenOverWhereNobodySeesIt();
    void longPromptsInBlocks();
    void ablatedHeadsStayAblated();
    void patternsCanBeHooked();
    void tokensThatAreNoPositionsAreNotCounted();
    void besideWholePromptsInABatch();
    void logitsWhereTheyAreAskedFor();
    void theLongestStart();
    void nothingIsKnownOf_data();
    void nothingIsKnownOf();
    void whatCannotBe();
};

void TestKnownStart::isAsTheWholeRun_data() {
    QTest::addColumn<QString>("name");
    for (const auto& names : {fixtureNames(), variantNames(), clippedNames()})
        for (const std::string& name : names)
            if (const ModelSpec spec = loadFixture(name)->spec;
                spec.causal && keepsKeys(spec, 2, 9))
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

void TestKnownStart::isAsTheWholeRun() {
    QFETCH(QString, name);
    const auto model = loadFixture(name.toStdString());
    const TokenIds ids = someIds(model->spec, 9);
    const Seen whole = run(model, ids);
    const Seen unseen = runUnseen(model, ids);
    for (const std::size_t start : {1u, 4u, 8u})
        for (const std::size_t length : {start + 1, std::size_t{9}}) {
            const Seen before = run(model, otherEnd(ids, start, length));
            compareRuns(run(model, ids, {before.run, start}), whole, start);
            compareRuns(runUnseen(model, ids, {before.run, start}), unseen, start);
        }
}

/// Were it run again, what the other run knows could be anything.
void TestKnownStart::isTakenOver() {
    const auto model = loadSample("gpt2-mini-6l");
    auto other = std::make_shared<Run>(*run(model, kIds).run);
    other->attention[2].v(std::size_t{1}, std::size_t{3}, std::size_t{0}) += 10.0f;
    const Seen whole = run(model, kIds);
    const Seen found = run(model, kIds, {other, 5});
    QCOMPARE(found.run->attention[2].v(1, 3, 0), other->attention[2].v(1, 3, 0));
    QVERIFY(
        difference(found.run->attention[3].k.view(), whole.run->attention[3].k.view()).absolute >
        1e-3);
    const Tensor& k = found.run->attention[3].k;
    QVERIFY(std::ranges::equal(k.values().first(5 * k.dim(1) * k.dim(2)),
                               other->attention[3].k.values().first(5 * k.dim(1) * k.dim(2))));
}

/// Were its attention computed again, the other run's sums could be anything.
void TestKnownStart::attentionIsTakenOverWhereNobodySeesIt() {
    const auto model = loadSample("gpt2-mini-6l");
    auto other = std::make_shared<Run>(*run(model, kIds).run);
    other->attention[2].lse[3 * kIds.size() + 1].log_sum += 1.0f; // head 3, position 1
    const auto sum = [](const Seen& seen) {
        return seen.run->attention[2].lse[3 * kIds.size() + 1].value();
    };
    const Seen unseen = runUnseen(model, kIds, {other, 5});
    const Seen whole = runUnseen(model, kIds);
    QVERIFY(std::abs(sum(unseen) - sum(whole) - 1.0) < 1e-4);
    QVERIFY(std::abs(sum(run(model, kIds, {other, 5})) - sum(whole)) < 1e-4);
}

/// More than one block of rows of a pattern, and windows that end inside what is known.
void TestKnownStart::longPromptsInBlocks() {
    for (const char* name : {"gpt2-mini-6l", "llama-mini-gqa-4l"}) {
        const auto model = loadSample(name);
        TokenIds ids;
        for (std::size_t i = 0; i < 200; ++i)
            ids.push_back(static_cast<TokenId>(20 + i * 37 % 900));
        const Seen before = run(model, otherEnd(ids, 190, 195));
        compareRuns(run(model, ids, knownStart(before.run, ids)), run(model, ids), 189);
        compareRuns(runUnseen(model, ids, knownStart(before.run, ids)), runUnseen(model, ids), 189);
    }
}

void TestKnownStart::ablatedHeadsStayAblated() {
    const auto model = loadSample("llama-mini-gqa-4l");
    HeadMask mask;
    mask.set({0, 3}, AblationKind::Zero);
    mask.set({2, 1}, AblationKind::Zero);
    HookSet hooks = capturing();
    addAblation(hooks, mask, model->spec);
    const Seen before = run(model, otherEnd(kIds, 6, 8), {}, hooks);
    const Seen whole = run(model, kIds, {}, hooks);
    compareRuns(run(model, kIds, {before.run, 6}, hooks), whole, 6);
    const Seen intact = run(model, kIds);
    QVERIFY(
        difference(intact.run->attention[3].k.view(), whole.run->attention[3].k.view()).relative >
        1e-3);
}

void TestKnownStart::patternsCanBeHooked() {
    const auto model = loadSample("gpt2-mini-6l");
    HookSet hooks = capturing();
    hooks.capture(HookPoint{HookKind::AttnScores, 1}, 2);
    hooks.capture(HookPoint{HookKind::Pattern, 3});
    const auto halve = [](HookPoint, const MutableTensorView& pattern) {
        for (std::size_t query = 0; query < pattern.shape[1]; ++query)
            pattern(0, query, 0) *= 0.5f;
    };
    hooks.edit(HookPoint{HookKind::Pattern, 2}, halve, 4);
    const Seen before = run(model, otherEnd(kIds, 4, 6), {}, hooks);
    const Seen whole = run(model, kIds, {}, hooks);
    const Seen found = run(model, kIds, {before.run, 4}, hooks);
    compareRuns(found, whole, 4);
    const auto scores = std::pair{HookPoint{HookKind::AttnScores, 1}, std::size_t{2}};
    QCOMPARE(found.run->captured_heads.at(scores).shape(), (Shape{1, 9, 9}));
    QVERIFY(found.run->weight({2, 4}, 0, 0) == 0.5f);
}

void TestKnownStart::tokensThatAreNoPositionsAreNotCounted() {
    ModelSpec spec = loadFixture("opt")->spec;
    spec.uncounted_token = 3;
    const auto model = livelyRandomModel(spec, 11);
    const TokenIds ids{5, 3, 6, 7, 3, 8, 9, 3, 4};
    for (const std::size_t start : {2u, 5u, 8u})
        compareRuns(run(model, ids, {run(model, ids).run, start}), run(model, ids), start);
}

void TestKnownStart::besideWholePromptsInABatch() {
    const auto model = loadSample("gpt2-mini-6l");
    const TokenIds other{8, 4, 23, 90};
    std::vector<RunItem> items(3);
    items[0].ids = other;
    items[1].ids = kIds;
    items[1].known = {run(model, kIds).run, 6};
    items[2].ids = otherEnd(kIds, 3, 7);
    items[2].known = {run(model, kIds).run, 3};
    for (RunItem& item : items)
        item.hooks = capturing();
    const auto runs = require(runBatch(model, items, readingLogits()));
    for (std::size_t i = 0; i < items.size(); ++i) {
        Seen found{runs[i], {}, {}};
        Seen whole = run(model, items[i].ids);
        whole.logits.clear();
        whole.patterns.clear();
        compareRuns(found, whole, items[i].known.positions);
    }
}

void TestKnownStart::logitsWhereTheyAreAskedFor() {
    const auto model = loadSample("gpt2-mini-6l");
    const Seen whole = run(model, kIds);
    std::vector<std::size_t> read;
    RunItem item;
    item.ids = kIds;
    item.known = {whole.run, 4};
    item.read_logits = [&](std::size_t position, std::span<const float> logits) {
        read.push_back(position);
        Tensor found({logits.size()});
        std::ranges::copy(logits, found.data());
        Tensor expected({logits.size()});
        std::ranges::copy(whole.logits.at(position), expected.data());
        compareTensors(found, expected, "logits");
    };
    Request request = readingLogits();
    request.logit_positions = {7};
    QVERIFY(runBatch(model, {&item, 1}, request));
    QCOMPARE(read, std::vector<std::size_t>{7});
    request.logit_positions = {3, 7};
    const auto refused = runBatch(model, {&item, 1}, request);
    QVERIFY(!refused && refused.error().message.find("position 3") != std::string::npos);
}

void TestKnownStart::theLongestStart() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto before = run(model, kIds).run;
    const auto positions = [&](const TokenIds& ids) { return knownStart(before, ids).positions; };
    TokenIds longer = kIds;
    longer.push_back(7);
    QCOMPARE(positions(longer), kIds.size() - 1);
    QCOMPARE(positions(kIds), kIds.size() - 1);
    QCOMPARE(positions({kIds.begin(), kIds.begin() + 4}), std::size_t{3});
    QCOMPARE(positions({5, 17, 3, 8, 9}), std::size_t{2});
    QCOMPARE(positions({5, 8, 9}), std::size_t{0});
    QCOMPARE(positions({8, 17, 3}), std::size_t{0});
    QVERIFY(!knownStart(before, {8, 17, 3}).run);
    QVERIFY(!knownStart(nullptr, kIds).run);
}

void TestKnownStart::nothingIsKnownOf_data() {
    QTest::addColumn<bool>("possible");
    QTest::addColumn<QString>("what");
    QTest::newRow("values that were not kept") << true << QStringLiteral("values");
    QTest::newRow("networks that read both ways") << false << QStringLiteral("both ways");
    QTest::newRow("stretched positions") << false << QStringLiteral("stretched");
}

void TestKnownStart::nothingIsKnownOf() {
    QFETCH(bool, possible);
    QFETCH(QString, what);
    ModelSpec spec = loadFixture(possible ? "gpt2" : "llama")->spec;
    if (what == QStringLiteral("stretched")) {
        spec.rotary.scaling = RotaryScalingKind::Dynamic;
        spec.rotary.factor = 4.0;
        spec.rotary.original_context = 6.0;
    } else if (!possible) {
        spec.causal = false;
    }
    const auto model = livelyRandomModel(spec, 3);
    const TokenIds ids = someIds(spec, 9);
    Request request = readingLogits();
    request.keep_values = !possible;
    RunItem item;
    item.ids = {ids.begin(), ids.begin() + 5};
    const auto before = require(runBatch(model, {&item, 1}, request)).front();
    QVERIFY(!knownStart(before, ids).run);
    const auto refused = tryRun(model, ids, {before, 3}, {});
    QVERIFY(!refused);
    QVERIFY2(refused.error().message.find(what.toStdString()) != std::string::npos,
             refused.error().message.c_str());
    QVERIFY(tryRun(model, ids, {}, {}));
}

void TestKnownStart::whatCannotBe() {
    const auto model = loadSample("gpt2-mini-6l");
    const auto before = run(model, kIds).run;
    const auto refusal = [&](const KnownStart& known, const TokenIds& ids,
                             const HookSet& hooks = {}) {
        const auto result = tryRun(model, ids, known, hooks);
        return result ? std::string() : result.error().message;
    };
    const auto says = [](const std::string& message, const char* part) {
        return message.find(part) != std::string::npos;
    };
    QCOMPARE(refusal({before, 8}, kIds), std::string());
    QVERIFY(says(refusal({before, 9}, kIds), "of its first 9 tokens and one more"));
    QVERIFY(says(refusal({before, 4}, otherEnd(kIds, 3, 7)), "have 3 in common"));
    QVERIFY(says(refusal({nullptr, 4}, kIds), "known only from a run"));
    QVERIFY(
        says(refusal({run(loadFixture("gpt2"), {1, 2, 3}).run, 2}, {1, 2, 3}), "another model"));

    HookSet elsewhere;
    elsewhere.capture("blocks.2.hook_mlp_out");
    QVERIFY(says(refusal({before, 4}, kIds, elsewhere), "looks at 'blocks.2.hook_mlp_out'"));
    HookSet editor;
    editor.edit(HookPoint{HookKind::V, 1}, [](HookPoint, const MutableTensorView&) {});
    QVERIFY(says(refusal({before, 4}, kIds, editor), "edits 'blocks.1.attn.hook_v'"));

    RunItem item;
    item.ids = kIds;
    item.known = {before, 4};
    const auto refused = [&](const auto& change) {
        Request request = readingLogits();
        change(request);
        return !runBatch(model, {&item, 1}, request);
    };
    QVERIFY(!refused([](Request&) {}));
    QVERIFY(refused([](Request& request) { request.logits = true; }));
    QVERIFY(refused([](Request& request) { request.keep_values = false; }));
    QVERIFY(refused([](Request& request) { request.keep_attention = false; }));
    QVERIFY(refused([](Request& request) { request.layers = 3; }));
    item.frozen_patterns = before;
    QVERIFY(refused([](Request&) {}));
}

const TestRegistration<TestKnownStart> registration;

} // namespace test_known_start

#include "test_known_start.moc"
