// Networks whose layers have different numbers of heads, against the whole ones with these heads
// ablated.

#include "core/engine/backward.h"
#include "core/engine/engine.h"
#include "core/engine/head_mask.h"
#include "core/engine/run_memory.h"
#include "core/model/model.h"
#include "tests/engine/slope_metric.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_unequal_heads {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kIds{5, 17, 3, 42, 5, 17, 9};
constexpr double kRelative = 3e-6; ///< products of other widths add in another order

/// The gradient of some linear metric of the logits.
Tensor slopes(const Tensor& logits) {
    Random random(3);
    return randomTensor(random, logits.shape());
}

using KeptHeads = std::vector<std::vector<std::size_t>>;

/// Columns of x in groups of `width`; an empty tensor stays one.
Tensor keptColumns(const Tensor& x, const std::vector<std::size_t>& groups, std::size_t width) {
    if (x.empty())
        return {};
    const std::size_t rows = x.rank() == 1 ? 1 : x.dim(0);
    const std::size_t cols = x.size() / rows;
    const std::size_t kept = groups.size() * width;
    Tensor result(x.rank() == 1 ? Shape{kept} : Shape{rows, kept});
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < kept; ++i)
            result.data()[row * kept + i] =
                x.data()[row * cols + groups[i / width] * width + i % width];
    return result;
}

/// Columns of queries, keys and values, in groups of a head.
std::vector<std::size_t> fusedGroups(const ModelSpec& whole,
                                     const std::vector<std::size_t>& heads) {
    std::vector<std::size_t> groups = heads;
    std::vector<std::size_t> kv_heads;
    for (const std::size_t head : heads)
        if (kv_heads.empty() || kv_heads.back() != whole.kvHeadOf({0, head}))
            kv_heads.push_back(whole.kvHeadOf({0, head}));
    for (const std::size_t first : {whole.n_heads, whole.n_heads + whole.n_kv_heads})
        for (const std::size_t kv_head : kv_heads)
            groups.push_back(first + kv_head);
    return groups;
}

/// The network without the rows and columns of all other heads.
std::shared_ptr<const Model> keeping(const Model& whole, const KeptHeads& kept) {
    auto model = std::make_shared<Model>(whole);
    const std::size_t d_head = whole.spec.d_head;
    model->spec.kept_heads = kept;
    for (std::size_t layer = 0; layer < kept.size(); ++layer) {
        AttentionWeights& weights = model->weights.layers[layer].attn;
        const auto groups = fusedGroups(whole.spec, kept[layer]);
        weights.W_QKV = keptColumns(weights.W_QKV.floats(), groups, d_head);
        weights.b_QKV = keptColumns(weights.b_QKV, groups, d_head);
        Tensor W_O({kept[layer].size() * d_head, whole.spec.d_model});
        for (std::size_t row = 0; row < W_O.dim(0); ++row)
            std::ranges::copy_n(weights.W_O.floats().matrix().row(
                                    kept[layer][row / d_head] * d_head + row % d_head),
                                static_cast<std::ptrdiff_t>(whole.spec.d_model),
                                W_O.matrix().row(row));
        weights.W_O = std::move(W_O);
    }
    return model;
}

HeadMask without(const ModelSpec& whole, const KeptHeads& kept) {
    HeadMask mask;
    for (std::size_t layer = 0; layer < kept.size(); ++layer)
        for (std::size_t head = 0; head < whole.n_heads; ++head)
            if (!std::ranges::count(kept[layer], head))
                mask.set({layer, head}, AblationKind::Zero);
    return mask;
}

/// All heads but the first of the last layer, and but the last group of the first, where one is.
KeptHeads someHeads(const ModelSpec& spec) {
    std::vector<std::size_t> all(spec.n_heads);
    for (std::size_t head = 0; head < spec.n_heads; ++head)
        all[head] = head;
    KeptHeads kept(spec.n_layers, all);
    kept.back().erase(kept.back().begin());
    if (spec.n_kv_heads > 1)
        kept.front().resize(spec.n_heads - spec.headsPerGroup());
    return kept;
}

/// The network with W_O = 0 for these heads, which has the gradients that ablation leaves.
std::shared_ptr<const Model> silenced(const Model& whole, const HeadMask& mask) {
    auto model = std::make_shared<Model>(whole);
    const std::size_t d_head = whole.spec.d_head;
    for (const auto& [head, kind] : mask.heads()) {
        Tensor& W_O = model->weights.layers[head.layer].attn.W_O.floats();
        std::ranges::fill(
            W_O.values().subspan(head.head * d_head * W_O.dim(1), d_head * W_O.dim(1)), 0.0f);
    }
    return model;
}

/// All hook points whose values do not count heads.
std::vector<HookPoint> headlessPoints(const ModelSpec& spec) {
    std::vector<HookPoint> points = hookPoints(spec);
    std::erase_if(points, [&](HookPoint point) {
        return headAxis(spec, point.kind).has_value() || point.kind == HookKind::Ln1Scale ||
               point.kind == HookKind::Ln1Normalized;
    });
    return points;
}

} // namespace

class TestUnequalHeads : public QObject {
    Q_OBJECT

private slots:
    void counts();
    void groupsOfKeptHeads();
    void sameAsAblated_data();
    void sameAsAblated();
    void sameGradients_data() { sameAsAblated_data(); }
    void sameGradients();
    void everyPointFiresInItsShape_data() { sameAsAblated_data(); }
    void everyPointFiresInItsShape();
    void startsThatAreKnown_data() { sameAsAblated_data(); }
    void startsThatAreKnown();
    void refusesRemovedHeads();
    void takesLessMemory();
};

void TestUnequalHeads::counts() {
    ModelSpec spec = loadFixture("llama-gqa")->spec;
    const std::size_t n_heads = spec.n_heads;
    QCOMPARE(spec.headsIn(1), n_heads);
    QCOMPARE(spec.kvHeadsIn(1), spec.n_kv_heads);
    QCOMPARE(spec.allHeads().size(), spec.n_layers * n_heads);
    spec.kept_heads = someHeads(spec);
    QCOMPARE(spec.headsIn(0), n_heads - spec.headsPerGroup());
    QCOMPARE(spec.kvHeadsIn(0), spec.n_kv_heads - 1);
    QCOMPARE(spec.headsIn(spec.n_layers - 1), n_heads - 1);
    QCOMPARE(spec.kvHeadsIn(spec.n_layers - 1), spec.n_kv_heads);
    QCOMPARE(spec.allHeads().size(), spec.n_layers * n_heads - spec.headsPerGroup() - 1);
    QCOMPARE(spec.qkvWidth(0), (spec.headsIn(0) + 2 * spec.kvHeadsIn(0)) * spec.d_head);
}

void TestUnequalHeads::groupsOfKeptHeads() {
    ModelSpec spec;
    spec.n_layers = 1;
    spec.n_heads = 6;
    spec.n_kv_heads = 3;
    spec.kept_heads = {{1, 4, 5}}; // the group of 2 and 3 is gone
    QCOMPARE(spec.kvHeadsIn(0), 2u);
    QVERIFY(spec.allHeads() == (std::vector<LayerHead>{{0, 1}, {0, 4}, {0, 5}}));
    QVERIFY(spec.hasHead({0, 4}) && !spec.hasHead({0, 0}) && !spec.hasHead({1, 1}));
    QCOMPARE(spec.headPlace({0, 4}), 1u);
    QCOMPARE(spec.headAt(0, 2), (LayerHead{0, 5}));
    QCOMPARE(spec.kvHeadOf({0, 1}), 0u);
    QCOMPARE(spec.kvPlace({0, 1}), 0u);
    QCOMPARE(spec.kvHeadOf({0, 4}), 2u);
    QCOMPARE(spec.kvPlace({0, 4}), 1u);
    QCOMPARE(spec.kvPlace({0, 5}), 1u);
    QVERIFY(spec.groupOf({0, 5}) == (std::vector<LayerHead>{{0, 4}, {0, 5}}));
    const HeadIndex index = headIndex(spec);
    QCOMPARE(index.placeOf({0, 5}), 2u);
    QCOMPARE(index.at(1), (LayerHead{0, 4}));
    QVERIFY(!index.contains({0, 0}));
}

void TestUnequalHeads::sameAsAblated_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name : {"gpt2", "bloom", "llama-gqa", "llama-mqa-headdim", "gemma2", "qwen3",
                             "falcon-grouped", "gptj", "mistral-window"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestUnequalHeads::sameAsAblated() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const KeptHeads kept = someHeads(whole->spec);
    const auto model = keeping(*whole, kept);
    HookSet ablation;
    addAblation(ablation, without(whole->spec, kept), whole->spec);
    const auto found = require(runModel(model, kIds));
    const auto expected = require(runModel(whole, kIds, {}, ablation));
    QVERIFY(difference(found->logits.view(), expected->logits.view()).relative < kRelative);
    const auto plain = require(runModel(whole, kIds));
    QVERIFY(difference(plain->logits.view(), expected->logits.view()).relative > 100 * kRelative);
    for (const LayerHead head : model->spec.allHeads())
        QVERIFY(difference(found->pattern(head).view(), expected->pattern(head).view()).absolute <
                5e-6);
}

void TestUnequalHeads::sameGradients() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    KeptHeads kept = someHeads(whole->spec);
    kept[1].clear(); // a layer without heads
    const auto model = keeping(*whole, kept);
    const auto reference = silenced(*whole, without(whole->spec, kept));
    const std::vector<HookPoint> points = headlessPoints(whole->spec);
    const BackwardRequest request{{points.begin(), points.end()}};
    const Gradients found = require(runBackward(model, kIds, slopes, request));
    const Gradients expected = require(runBackward(reference, kIds, slopes, request));
    for (const HookPoint point : points)
        QVERIFY2(
            difference(found.hooks.at(point).view(), expected.hooks.at(point).view()).relative <
                2e-5,
            hookName(whole->spec, point).c_str());
    double largest = 0.0;
    for (const float gate : expected.gates)
        largest = std::max(largest, std::abs(double{gate}));
    for (const LayerHead head : model->spec.allHeads())
        QVERIFY(std::abs(found.gates[head] - expected.gates[head]) < 2e-5 * largest);
}

/// Those of single heads too, in the forward and in the reverse pass.
void TestUnequalHeads::everyPointFiresInItsShape() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    const auto model = keeping(*whole, someHeads(whole->spec));
    const std::vector<HookPoint> points = hookPoints(model->spec);
    const BackwardRequest request{{points.begin(), points.end()}};
    const Gradients gradients = require(runBackward(model, kIds, slopes, request));
    for (const HookPoint point : points) {
        HookSet hooks;
        hooks.capture(point);
        const auto run = require(runModel(model, kIds, {}, hooks));
        const Shape shape = hookShape(model->spec, point, kIds.size());
        QCOMPARE(run->captured.at(point).shape(), shape);
        QCOMPARE(gradients.hooks.at(point).shape(), shape);
    }
}

/// Also of a layer whose heads are all gone.
void TestUnequalHeads::startsThatAreKnown() {
    QFETCH(QString, fixture);
    const auto whole = loadFixture(fixture.toStdString());
    KeptHeads kept = someHeads(whole->spec);
    kept.back().clear();
    const auto model = keeping(*whole, kept);
    Request request;
    request.logits = false;
    request.keep_values = true;
    const auto lastLogits = [&](const KnownStart& known) {
        std::vector<float> last;
        RunItem item;
        item.ids = kIds;
        item.known = known;
        item.hooks.capture(HookKind::Z);
        item.read_logits = [&](std::size_t position, std::span<const float> logits) {
            if (position + 1 == kIds.size())
                last.assign(logits.begin(), logits.end());
        };
        const auto run = require(runBatch(model, {&item, 1}, request)).front();
        return std::pair{run, last};
    };
    const auto [run, expected] = lastLogits({});
    const auto [behind, found] = lastLogits({run, 4});
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        QVERIFY(std::abs(found[i] - expected[i]) <= 1e-5f * (1.0f + std::abs(expected[i])));
    for (const auto& [point, z] : run->captured) {
        QCOMPARE(behind->captured.at(point).shape(), z.shape());
        if (!z.empty())
            QVERIFY(difference(behind->captured.at(point).view(), z.view()).relative <= 1e-5);
    }
}

void TestUnequalHeads::refusesRemovedHeads() {
    ModelSpec spec = loadFixture("gpt2")->spec;
    spec.kept_heads = someHeads(spec);
    const std::size_t last = spec.n_layers - 1;
    QVERIFY(static_cast<bool>(checkHead({last, spec.n_heads - 1}, spec)));
    const auto removed = checkHead({last, 0}, spec);
    QVERIFY(!removed);
    QCOMPARE(removed.error().message,
             "There is no head " + std::to_string(last) + ".0: it was removed from this network.");
}

void TestUnequalHeads::takesLessMemory() {
    ModelSpec spec = loadFixture("gpt2")->spec;
    const RunMemory whole = runMemory(spec, 100);
    spec.kept_heads = someHeads(spec);
    const RunMemory less = runMemory(spec, 100);
    // The queries and keys of two heads, and log Σ exp of their rows (two numbers each).
    QCOMPARE(whole.kept - less.kept, 100 * 2 * (2 * spec.d_head + 2) * sizeof(float));
}

const headscope::test::TestRegistration<TestUnequalHeads> registration;

} // namespace test_unequal_heads

#include "test_unequal_heads.moc"
