// Batches, runs that begin or end early, and what watches a run while it goes.

#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <mutex>

namespace test_batch {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kShort{5, 17, 3};
const TokenIds kIds{5, 17, 3, 42, 5, 17, 9};
const TokenIds kOther{9, 3, 8, 1, 30, 2, 2};

RunItem itemOf(const TokenIds& ids) {
    RunItem item;
    item.ids = ids;
    return item;
}

std::shared_ptr<const Run> runOne(const std::shared_ptr<const Model>& model, const RunItem& item,
                                  const Request& request = {}) {
    return require(runBatch(model, {&item, 1}, request)).front();
}

QString errorOf(const std::shared_ptr<const Model>& model, const std::vector<RunItem>& items,
                const Request& request = {}) {
    const auto runs = runBatch(model, items, request);
    return runs ? QStringLiteral("no error") : QString::fromStdString(runs.error().message);
}

std::shared_ptr<const Tensor> captured(const Run& run, HookPoint point) {
    return std::make_shared<Tensor>(run.captured.at(point));
}

void addFixtures() {
    QTest::addColumn<QString>("fixture");
    for (const auto& names : {fixtureNames(), variantNames(), clippedNames()})
        for (const std::string& name : names)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
}

std::shared_ptr<const Model> fetchFixture() {
    QFETCH(QString, fixture);
    return loadFixture(fixture.toStdString());
}

/// Puts together what it is shown, and checks that it comes as promised.
class Collector : public PatternObserver {
public:
    explicit Collector(std::size_t positions) : positions_(positions) {}

    void observe(const PatternBlock& block) override {
        const std::lock_guard lock(mutex_);
        auto [found, is_new] = patterns_.try_emplace(block.head, Shape{positions_, positions_});
        in_order_ &= next_[block.head] == block.queries.begin;
        next_[block.head] = block.queries.end;
        for (std::size_t r = 0; r < block.queries.size(); ++r)
            std::copy_n(block.weights.row(r), block.keys.size(),
                        &found->second(block.queries.begin + r, block.keys.begin));
    }

    bool inOrder() const { return in_order_; }
    const std::map<LayerHead, Tensor>& patterns() const { return patterns_; }

private:
    std::size_t positions_;
    std::mutex mutex_;
    std::map<LayerHead, Tensor> patterns_;
    std::map<LayerHead, std::size_t> next_;
    bool in_order_ = true;
};

} // namespace

class TestBatch : public QObject {
    Q_OBJECT

private slots:
    void promptsDoNotSeeEachOther_data() { addFixtures(); }
    void promptsDoNotSeeEachOther();
    void beginsWithAnyLayer_data() { addFixtures(); }
    void beginsWithAnyLayer();
    void beginsWithZ_data() { addFixtures(); }
    void beginsWithZ();
    void logitsOnlyWhereWanted_data() { addFixtures(); }
    void logitsOnlyWhereWanted();
    void logitsAreReadOnce();
    void frozenPatternsReplaceOwnOnes_data() { addFixtures(); }
    void frozenPatternsReplaceOwnOnes();
    void hooksSeeOneHead_data() { addFixtures(); }
    void hooksSeeOneHead();
    void observersSeeEveryPattern_data() { addFixtures(); }
    void observersSeeEveryPattern();
    void poolsTheLargestOfEachCell_data();
    void poolsTheLargestOfEachCell();
    void hooksOfOnePromptFireAmongOthers();
    void continuesBeyondTheContext();
    void saysWhatIsWrong();
};

void TestBatch::promptsDoNotSeeEachOther() {
    const auto model = fetchFixture();
    const auto together =
        require(runBatch(model, std::vector{itemOf(kIds), itemOf(kShort), itemOf(kOther)}));
    for (const auto& run : together) {
        const auto alone = require(runModel(model, run->ids));
        QVERIFY(difference(run->logits.view(), alone->logits.view()).relative < 3e-6);
        const LayerHead head{model->spec.n_layers - 1, model->spec.n_heads - 1};
        QVERIFY(difference(run->pattern(head).view(), alone->pattern(head).view()).absolute < 1e-5);
    }
    QCOMPARE(together[1]->ids, kShort);
}

void TestBatch::beginsWithAnyLayer() {
    const auto model = fetchFixture();
    HookSet hooks;
    hooks.capture("blocks.*.hook_resid_pre");
    const auto whole = require(runModel(model, kIds, {}, hooks));
    for (std::size_t layer = 1; layer < model->spec.n_layers; ++layer) {
        RunItem item = itemOf(kIds);
        item.resid_pre = captured(*whole, {HookKind::ResidPre, layer});
        Request request;
        request.first_layer = layer;
        const auto rest = runOne(model, item, request);
        QVERIFY(difference(rest->logits.view(), whole->logits.view()).relative < 1e-6);
        QVERIFY(rest->attention[layer - 1].q.empty());
        QVERIFY(!rest->attention[layer].q.empty());
    }
}

/// Attention of the first layer is not computed again, and hooks still edit what it gave.
void TestBatch::beginsWithZ() {
    const auto model = fetchFixture();
    HookSet hooks;
    hooks.capture("blocks.*.hook_resid_pre");
    hooks.capture("blocks.*.attn.hook_z");
    const auto whole = require(runModel(model, kIds, {}, hooks));
    const auto silence = [](HookPoint, MutableTensorView z) {
        for (std::size_t t = 0; t < z.shape[0]; ++t)
            for (std::size_t d = 0; d < z.shape[2]; ++d)
                z(t, 0, d) = 0.0f;
    };
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer) {
        RunItem item = itemOf(kIds);
        item.resid_pre = captured(*whole, {HookKind::ResidPre, layer});
        item.z = captured(*whole, {HookKind::Z, layer});
        Request request;
        request.first_layer = layer;
        QVERIFY(
            difference(runOne(model, item, request)->logits.view(), whole->logits.view()).relative <
            1e-6);
        item.hooks.edit(HookPoint{HookKind::Z, layer}, silence, 1);
        HookSet plain;
        plain.edit(HookPoint{HookKind::Z, layer}, silence, 1);
        const auto expected = require(runModel(model, kIds, {}, plain));
        QVERIFY(difference(runOne(model, item, request)->logits.view(), expected->logits.view())
                    .relative < 1e-6);
        QVERIFY(difference(expected->logits.view(), whole->logits.view()).relative > 1e-5);
    }
}

/// Also when hooks look at what comes after attention, and all rows must be there for them.
void TestBatch::logitsOnlyWhereWanted() {
    const auto model = fetchFixture();
    Request request;
    request.logit_positions = {1, 2};
    const std::string last = "blocks." + std::to_string(model->spec.n_layers - 1) + ".";
    for (const std::string& glob : {std::string(), last + "hook_attn_out", last + "attn.hook_z"}) {
        std::vector<RunItem> items{itemOf(kIds), itemOf(kShort)};
        if (!glob.empty())
            for (RunItem& item : items)
                item.hooks.capture(glob);
        for (const auto& run : require(runBatch(model, items, request))) {
            const auto whole = require(runModel(model, run->ids));
            QCOMPARE(run->logits.shape(), (Shape{2, model->spec.outputs()}));
            const TensorView rows{whole->logits.matrix().row(1),
                                  {2, model->spec.outputs()},
                                  {model->spec.outputs(), 1}};
            QVERIFY2(difference(run->logits.view(), rows).relative < 3e-6, glob.c_str());
            if (!glob.empty())
                QCOMPARE(run->captured.begin()->second.dim(0), run->ids.size());
        }
    }
}

void TestBatch::logitsAreReadOnce() {
    const auto model = loadFixture("gemma2");
    const auto whole = require(runModel(model, kIds));
    for (const std::vector<std::size_t>& wanted : {std::vector<std::size_t>{}, {0, 6}}) {
        std::mutex mutex;
        std::map<std::size_t, int> reads;
        double worst = 0.0;
        std::vector<RunItem> items{itemOf(kShort), itemOf(kIds)};
        items[1].read_logits = [&](std::size_t position, std::span<const float> logits) {
            const std::lock_guard lock(mutex);
            ++reads[position];
            for (std::size_t id = 0; id < logits.size(); ++id)
                worst = std::max(
                    worst, std::abs(static_cast<double>(logits[id] - whole->logits(position, id))));
        };
        if (!wanted.empty())
            items[0].ids = kOther;
        Request request;
        request.logits = false;
        request.logit_positions = wanted;
        const auto runs = require(runBatch(model, items, request));
        QVERIFY(runs[0]->logits.empty() && runs[1]->logits.empty());
        QCOMPARE(reads.size(), wanted.empty() ? kIds.size() : wanted.size());
        for (const auto& [position, times] : reads)
            QCOMPARE(times, 1);
        QVERIFY(worst < 1e-4);
    }
}

/// The same as overwriting every pattern by a hook.
void TestBatch::frozenPatternsReplaceOwnOnes() {
    const auto model = fetchFixture();
    const auto other = require(runModel(model, kOther));
    RunItem item = itemOf(kIds);
    item.frozen_patterns = other;
    const auto frozen = runOne(model, item);
    HookSet hooks;
    hooks.edit("blocks.*.attn.hook_pattern", [&](HookPoint point, MutableTensorView pattern) {
        for (std::size_t head = 0; head < pattern.shape[0]; ++head) {
            const Tensor forced = other->pattern({point.layer, head});
            for (std::size_t q = 0; q < kIds.size(); ++q)
                for (std::size_t k = 0; k < kIds.size(); ++k)
                    pattern(head, q, k) = forced(q, k);
        }
    });
    const auto expected = require(runModel(model, kIds, {}, hooks));
    QVERIFY(difference(frozen->logits.view(), expected->logits.view()).relative < 1e-5);
    const auto plain = require(runModel(model, kIds));
    QVERIFY(difference(frozen->logits.view(), plain->logits.view()).relative > 1e-4);
    const LayerHead last{model->spec.n_layers - 1, 0};
    QVERIFY(difference(frozen->pattern(last).view(), other->pattern(last).view()).absolute < 1e-6);
}

void TestBatch::hooksSeeOneHead() {
    const auto model = fetchFixture();
    const auto& spec = model->spec;
    const std::size_t layer = spec.n_layers - 1;
    HookSet whole;
    HookSet one;
    for (const HookKind kind : {HookKind::Q, HookKind::K, HookKind::AttnScores, HookKind::Pattern,
                                HookKind::Z, HookKind::Result}) {
        whole.capture(HookPoint{kind, layer});
        one.capture(HookPoint{kind, layer}, spec.n_kv_heads - 1);
    }
    one.edit(
        "blocks.0.attn.hook_pattern",
        [](HookPoint, MutableTensorView pattern) {
            QCOMPARE(pattern.shape, (Shape{1, kIds.size(), kIds.size()}));
        },
        1);
    const auto all = require(runModel(model, kIds, {}, whole));
    const auto head = require(runModel(model, kIds, {}, one));
    QCOMPARE(head->captured_heads.size(), all->captured.size());
    for (const auto& [point, value] : all->captured) {
        const Tensor& slice = head->captured_heads.at({point, spec.n_kv_heads - 1});
        const bool scores = point.kind == HookKind::AttnScores;
        const std::size_t axis = scores || point.kind == HookKind::Pattern ? 0 : 1;
        TensorView expected = value.view();
        expected.data += (spec.n_kv_heads - 1) * expected.strides[axis];
        expected.shape[axis] = 1;
        QCOMPARE(slice.shape(), expected.shape);
        if (!scores) // which are not finite where the mask hides them
            QVERIFY2(difference(slice.view(), expected).relative < 3e-6,
                     hookName(spec, point).c_str());
    }
    // Only that head is held as a matrix afterwards.
    QCOMPARE(head->attention[0].edited.places, std::vector<std::size_t>{1});
    QVERIFY(difference(head->pattern({0, 1}).view(), all->pattern({0, 1}).view()).absolute < 1e-5);
    QVERIFY(difference(head->logits.view(), all->logits.view()).relative < 3e-6);
}

void TestBatch::observersSeeEveryPattern() {
    const auto model = fetchFixture();
    TokenIds ids;
    for (std::size_t t = 0; t < std::min<std::size_t>(model->spec.n_ctx, 150); ++t)
        ids.push_back(static_cast<TokenId>(t * t % 41));
    Collector during(ids.size());
    RunItem item = itemOf(ids);
    item.observers = {&during};
    const auto run = runOne(model, item);
    QVERIFY(during.inOrder());
    QCOMPARE(during.patterns().size(), model->spec.n_layers * model->spec.n_heads);
    for (const auto& [head, pattern] : during.patterns())
        QVERIFY(difference(pattern.view(), run->pattern(head).view()).absolute <= 1e-6);
}

void TestBatch::poolsTheLargestOfEachCell_data() {
    QTest::addColumn<QString>("fixture");
    QTest::addColumn<std::size_t>("rows");
    for (const char* name : {"gpt2", "mistral-window", "bert", "gemma2"})
        for (const std::size_t rows :
             {std::size_t{1}, std::size_t{7}, std::size_t{31}, std::size_t{500}})
            QTest::addRow("%s %zu", name, rows) << QString::fromLatin1(name) << rows;
}

void TestBatch::poolsTheLargestOfEachCell() {
    const auto model = fetchFixture();
    QFETCH(std::size_t, rows);
    TokenIds ids;
    for (std::size_t t = 0; t < 60; ++t)
        ids.push_back(static_cast<TokenId>(t * t % 41));
    const auto run = require(runModel(model, ids));
    const LayerHead head{1, 1};
    const ScoreRule rule = scoreRule(*model, head);
    const Tensor pattern = run->pattern(head);
    const PositionRange queries{3, 58};
    const PositionRange keys{5, 60};
    const Tensor pooled = run->pooledPattern(head, queries, keys, rows, rows);
    const std::size_t cells = std::min<std::size_t>(rows, 55);
    QCOMPARE(pooled.shape(), (Shape{cells, cells}));
    for (std::size_t r = 0; r < cells; ++r) {
        for (std::size_t c = 0; c < cells; ++c) {
            float largest = -1.0f;
            for (std::size_t q = 3 + 55 * r / cells; q < 3 + 55 * (r + 1) / cells; ++q)
                for (std::size_t k = 5 + 55 * c / cells; k < 5 + 55 * (c + 1) / cells; ++k)
                    if (rule.mask.visibleKeys(q, 60).contains(k))
                        largest = std::max(largest, pattern(q, k));
            QVERIFY(largest < 0.0f ? std::isnan(pooled(r, c))
                                   : std::abs(pooled(r, c) - largest) <= 1e-6f);
        }
    }
}

/// Learned positions end with the context; rotary ones go on.
/// Of patterns, which are not in memory otherwise.
void TestBatch::hooksOfOnePromptFireAmongOthers() {
    const auto model = loadFixture("gpt2");
    std::vector items{itemOf(kIds), itemOf(kShort), itemOf(kOther)};
    const HookPoint pattern{HookKind::Pattern, 1};
    items[1].hooks.capture(pattern);
    const auto runs = require(runBatch(model, items));
    QVERIFY(runs[0]->captured.empty() && runs[2]->captured.empty());
    const Tensor& captured = runs[1]->captured.at(pattern);
    const Tensor expected = runs[1]->pattern({1, 2});
    for (std::size_t q = 0; q < expected.dim(0); ++q)
        for (std::size_t k = 0; k < expected.dim(1); ++k)
            QVERIFY(std::abs(captured(2u, q, k) - expected(q, k)) < 1e-6f);
}

void TestBatch::continuesBeyondTheContext() {
    Request request;
    request.beyond_context = true;
    const auto rotary = loadFixture("llama");
    const TokenIds longer(rotary->spec.n_ctx + 5, 7);
    const auto run = require(runModel(rotary, longer, request));
    QCOMPARE(run->logits.dim(0), longer.size());
    QVERIFY(errorOf(rotary, {itemOf(longer)}).endsWith(QStringLiteral("; shorten it.")));
    const auto learned = loadFixture("gpt2");
    QCOMPARE(errorOf(learned, {itemOf(TokenIds(65, 1))}, request),
             QStringLiteral("The prompt has 65 tokens but gpt2 was built for 64, and its learned "
                            "positions end there; shorten it."));
}

void TestBatch::saysWhatIsWrong() {
    const auto model = loadFixture("gpt2");
    const auto& spec = model->spec;
    Request later;
    later.first_layer = 1;
    QCOMPARE(errorOf(model, {}), QStringLiteral("There is no prompt to run."));
    QCOMPARE(errorOf(model, {itemOf(kIds)}, later),
             QStringLiteral("A run that begins with layer 1 needs the residual stream that enters "
                            "it (resid_pre)."));
    later.layers = 1;
    QCOMPARE(errorOf(model, {itemOf(kIds)}, later),
             QStringLiteral("A run from layer 1 on was asked for, but it ends before that layer."));
    later.layers.reset();
    RunItem wrong = itemOf(kIds);
    wrong.resid_pre = std::make_shared<Tensor>(Shape{3, spec.d_model});
    QCOMPARE(errorOf(model, {wrong}, later),
             QStringLiteral("The resid_pre that the run shall begin with is [3, %1], but this "
                            "prompt needs [7, %1].")
                 .arg(spec.d_model));
    RunItem with_z = itemOf(kIds);
    with_z.resid_pre = std::make_shared<Tensor>(Shape{7, spec.d_model});
    RunItem without_z = with_z;
    with_z.z = std::make_shared<Tensor>(Shape{7, spec.n_heads, spec.d_head});
    QCOMPARE(errorOf(model, {with_z, without_z}, later),
             QStringLiteral("Some prompts of the batch bring the z of their first layer along and "
                            "some do not; run them apart."));
    with_z.hooks.capture("blocks.1.attn.hook_q");
    QCOMPARE(errorOf(model, {with_z}, later),
             QStringLiteral("Hook 'blocks.1.attn.hook_q' names a place this run does not reach: it "
                            "begins with layer 1 and runs to layer 2."));
    RunItem frozen = itemOf(kIds);
    frozen.frozen_patterns = require(runModel(model, kShort));
    QCOMPARE(errorOf(model, {frozen}),
             QStringLiteral("Patterns can only be taken over from a run of the same model and "
                            "length: that run has 3 tokens and this prompt 7."));
    Request beyond;
    beyond.logit_positions = {7};
    QCOMPARE(errorOf(model, {itemOf(kIds)}, beyond),
             QStringLiteral("Logits at position 7 were asked for, but the prompt ends with "
                            "position 6."));
    RunItem no_heads = itemOf(kIds);
    no_heads.hooks.capture("blocks.0.hook_resid_pre", 1);
    QCOMPARE(errorOf(model, {no_heads}),
             QStringLiteral("A hook for head 1 cannot look at 'blocks.0.hook_resid_pre', which has "
                            "no heads."));
    RunItem no_such_head = itemOf(kIds);
    no_such_head.hooks.capture("blocks.0.attn.hook_z", 9);
    QCOMPARE(errorOf(model, {no_such_head}),
             QStringLiteral("There is no head 9 at 'blocks.0.attn.hook_z', which has heads 0 to "
                            "%1.")
                 .arg(spec.n_heads - 1));
}

const headscope::test::TestRegistration<TestBatch> registration;

} // namespace test_batch

#include "test_batch.moc"
