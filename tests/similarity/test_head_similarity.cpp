// How similar heads are: exact values on made heads, and numpy's on a trained model.

#include "core/engine/engine.h"
#include "core/similarity/head_similarity.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numbers>
#include <set>

namespace test_head_similarity {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kPositions = 6;

bool near(float found, double expected) {
    return std::abs(static_cast<double>(found) - expected) <= 1e-5;
}

/// One layer whose residual stream is the position, one-hot. Head 0 attends to the token before
/// (the first to itself), head 1 to its own, head 2 to all alike; all write along one axis, head 1
/// against the others, and head 2 nothing.
std::shared_ptr<const Model> madeHeads() {
    auto model = std::make_shared<Model>();
    ModelSpec& spec = model->spec;
    spec.n_layers = 1;
    spec.n_heads = spec.n_kv_heads = 3;
    spec.d_model = spec.d_head = spec.n_ctx = kPositions;
    spec.d_vocab = 2;
    spec.norm_placement = NormPlacement::None;
    spec.final_norm = false;
    spec.mlp = MlpKind::None;
    spec.attention_scale = {1.0};
    Weights& weights = model->weights;
    weights.W_E = Tensor({2, kPositions});
    weights.W_pos = Tensor({kPositions, kPositions});
    LayerWeights layer;
    layer.attn.W_QKV = Tensor({kPositions, 9 * kPositions});
    layer.attn.W_O = Tensor({3 * kPositions, kPositions});
    for (std::size_t i = 0; i < kPositions; ++i) {
        weights.W_pos.floats()(i, i) = 1.0f;
        layer.attn.W_QKV.floats()(i, i == 0 ? 0 : i - 1) = 200.0f;
        layer.attn.W_QKV.floats()(i, kPositions + i) = 200.0f;
        for (std::size_t head = 0; head < 3; ++head) {
            layer.attn.W_QKV.floats()(i, (3 + head) * kPositions + i) = 1.0f; // keys
            layer.attn.W_QKV.floats()(i, (6 + head) * kPositions) = 1.0f; // values: the first axis
        }
    }
    layer.attn.W_O.floats()(0u, 0u) = 2.0f;
    layer.attn.W_O.floats()(kPositions, 0u) = -0.5f;
    weights.layers.push_back(std::move(layer));
    return model;
}

TokenIds zeros(std::size_t count) {
    return TokenIds(count, 0);
}

HeadSimilarity compare(const std::shared_ptr<const Model>& model,
                       const std::vector<TokenIds>& prompts) {
    return require(compareHeads(model, {prompts}));
}

/// JS of a row that looks at one of n keys and a row that looks at all alike.
double oneAgainstAll(double n) {
    const double one = (1.0 + 1.0 / n) / 2.0;
    const double other = 1.0 / (2.0 * n);
    return -one * std::log(one) - (n - 1.0) * other * std::log(other) - std::log(n) / 2.0;
}

double distanceOf(const Run& run, LayerHead a, LayerHead b) {
    const Tensor A = run.pattern(a);
    const Tensor B = run.pattern(b);
    const auto toMean = [](double x, double y) {
        return x > 0.0 ? x * std::log(2.0 * x / (x + y)) : 0.0;
    };
    double sum = 0.0;
    for (std::size_t query = 1; query < run.positions(); ++query)
        for (std::size_t key = 0; key < run.positions(); ++key) {
            const auto x = static_cast<double>(A(query, key));
            const auto y = static_cast<double>(B(query, key));
            sum += 0.5 * (toMean(x, y) + toMean(y, x));
        }
    return sum / static_cast<double>(run.positions() - 1);
}

double cosineOf(const Run& run, LayerHead a, LayerHead b) {
    const auto result = [&](LayerHead head, std::size_t position, std::size_t i) {
        return static_cast<double>(
            run.captured.at({HookKind::Result, head.layer})(position, head.head, i));
    };
    double sum = 0.0;
    for (std::size_t position = 0; position < run.positions(); ++position) {
        double aa = 0.0, bb = 0.0, ab = 0.0;
        for (std::size_t i = 0; i < run.model->spec.d_model; ++i) {
            const double x = result(a, position, i);
            const double y = result(b, position, i);
            aa += x * x;
            bb += y * y;
            ab += x * y;
        }
        sum += ab / std::sqrt(aa * bb);
    }
    return sum / static_cast<double>(run.positions());
}

} // namespace

class TestHeadSimilarity : public QObject {
    Q_OBJECT

private slots:
    void madeHeadsAreAsFarApartAsTheFormulaSays() {
        const HeadSimilarity found = compare(madeHeads(), {zeros(kPositions), zeros(3)});
        QVERIFY(near(found.pattern_distance(0, 1), std::numbers::ln2));
        double against_all = 0.0;
        for (const double n : {2.0, 3.0, 4.0, 5.0, 6.0, 2.0, 3.0})
            against_all += oneAgainstAll(n) / 7.0;
        for (const std::size_t head : {0u, 1u}) {
            QVERIFY(near(found.pattern_distance(head, 2), against_all));
            QVERIFY(near(found.pattern_distance(2, head), against_all));
            QCOMPARE(found.pattern_distance(head, head), 0.0f);
            QVERIFY(near(found.output_cosine(head, head), 1.0));
            QVERIFY(near(found.output_cosine(head, 2), 0.0));
        }
        QVERIFY(near(found.output_cosine(0, 1), -1.0));
    }

    /// A head that gives all to its learned sink is as far from one that looks at a key as two
    /// heads that look at different keys.
    void learnedSinksAreLookedAt() {
        auto model = std::make_shared<Model>(*madeHeads());
        model->spec.learned_sinks = true;
        Tensor& sinks = model->weights.layers[0].attn.sinks;
        sinks = Tensor({3}, -200.0f);
        sinks(2u) = 200.0f;
        const HeadSimilarity found = compare(model, {zeros(kPositions)});
        QVERIFY(near(found.pattern_distance(0, 1), std::numbers::ln2));
        QVERIFY(near(found.pattern_distance(0, 2), std::numbers::ln2));
        QVERIFY(near(found.pattern_distance(1, 2), std::numbers::ln2));
    }

    /// What is left of 1 − 1 after rounding has a direction, but says nothing.
    void roundingIsNoDirection() {
        auto model = std::make_shared<Model>(*madeHeads());
        AttentionWeights& attn = model->weights.layers[0].attn;
        for (std::size_t i = 0; i < kPositions; ++i)
            attn.W_QKV.floats()(i, 8 * kPositions + 1) = 1.0f; // the value has a second axis
        attn.W_O.floats()(2 * kPositions, 0u) = 1.0f;
        attn.W_O.floats()(2 * kPositions + 1, 0u) = -(1.0f - 0x1p-24f);
        const HeadSimilarity found = compare(model, {zeros(kPositions)});
        QCOMPARE(found.output_cosine(2, 2), 0.0f);
        QCOMPARE(found.output_cosine(0, 2), 0.0f);
        attn.W_O.floats()(2 * kPositions + 1, 0u) = -0.9f;
        QVERIFY(near(compare(model, {zeros(kPositions)}).output_cosine(0, 2), 1.0));
    }

    void identicalHeads() {
        auto model = std::make_shared<Model>(*loadFixture("gpt2"));
        const std::size_t d_head = model->spec.d_head;
        AttentionWeights& attn = model->weights.layers[1].attn;
        const std::size_t width = model->spec.queryWidth();
        for (std::size_t i = 0; i < d_head; ++i) {
            for (std::size_t part = 0; part < 3; ++part) {
                const std::size_t column = part * width + i;
                for (std::size_t row = 0; row < model->spec.d_model; ++row)
                    attn.W_QKV.floats()(row, column + d_head) = attn.W_QKV(row, column);
                attn.b_QKV(column + d_head) = attn.b_QKV(column);
            }
            for (std::size_t column = 0; column < model->spec.d_model; ++column)
                attn.W_O.floats()(i + d_head, column) = attn.W_O(i, column);
        }
        const HeadSimilarity found = compare(model, {{3, 9, 4, 4, 17, 2}});
        const std::size_t first = model->spec.n_heads;
        QVERIFY(near(found.pattern_distance(first, first + 1), 0.0));
        QVERIFY(near(found.output_cosine(first, first + 1), 1.0));
        const auto pairs = similarPairs(found, 1e-5);
        QCOMPARE(pairs.size(), 1u);
        QCOMPARE(pairs[0].a, (LayerHead{1, 0}));
        QCOMPARE(pairs[0].b, (LayerHead{1, 1}));
    }

    void trainedModelAgainstNumpy() {
        const HeadSimilarity found =
            compare(loadSample("gpt2-mini-6l"),
                    {{0, 1385, 658, 281, 596, 694, 275, 261, 678, 13, 596, 838, 260, 718, 275}});
        QVERIFY(near(found.pattern_distance(33, 34), 0.0933167));
        QVERIFY(near(found.pattern_distance(0, 17), 0.5746675));
        QVERIFY(near(found.pattern_distance(37, 29), 0.0445990));
        QVERIFY(near(found.output_cosine(33, 34), 0.2640691));
        QVERIFY(near(found.output_cosine(17, 0), -0.0006002));
        QVERIFY(near(found.output_cosine(29, 37), 0.1605440));
        const auto pairs = similarPairs(found, 0.1);
        QVERIFY(std::ranges::is_sorted(pairs, {}, &HeadPair::distance));
        const auto known = std::ranges::find_if(pairs, [](const HeadPair& pair) {
            return pair.a == LayerHead{3, 5} && pair.b == LayerHead{4, 5};
        });
        QVERIFY(known != pairs.end());
        QVERIFY(std::abs(known->cosine - 0.1605440) < 1e-5);
    }

    /// So many rows that patterns and outputs come in several blocks; against plain loops.
    void blocksOfRowsAddUp() {
        ModelSpec spec;
        spec.n_layers = 2;
        spec.n_heads = spec.n_kv_heads = 8;
        spec.d_model = 1024;
        spec.d_head = 4;
        spec.d_vocab = 50;
        spec.n_ctx = 1024;
        spec.mlp = MlpKind::None;
        const auto model = livelyRandomModel(spec, 3);
        TokenIds ids;
        for (std::size_t i = 0; i < spec.n_ctx; ++i)
            ids.push_back(static_cast<TokenId>(i * i % spec.d_vocab));
        HookSet hooks;
        hooks.capture("blocks.*.attn.hook_result");
        const auto run = require(runModel(model, ids, {}, hooks));
        const HeadSimilarity found = compare(model, {ids});
        QVERIFY(near(found.pattern_distance(3, 12), distanceOf(*run, {0, 3}, {1, 4})));
        QVERIFY(near(found.output_cosine(3, 12), cosineOf(*run, {0, 3}, {1, 4})));
    }

    /// Encoders, windows and groups.
    void everyNetwork_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        QTest::addColumn<std::size_t>("length");
        QTest::newRow("bert") << loadFixture("bert") << std::size_t{12};
        QTest::newRow("mistral-window") << loadFixture("mistral-window") << std::size_t{12};
        QTest::newRow("without a tokenizer") << loadSample("notebook") << std::size_t{2};
        QTest::newRow("llama-gqa") << loadFixture("llama-gqa") << std::size_t{12};
    }
    void everyNetwork() {
        QFETCH(std::shared_ptr<const Model>, model);
        QFETCH(std::size_t, length);
        TokenIds ids;
        for (std::size_t i = 0; i < length; ++i)
            ids.push_back(static_cast<TokenId>(i * i % model->spec.d_vocab));
        const HeadSimilarity found = compare(model, {ids});
        const std::size_t last = found.pattern_distance.dim(0) - 1;
        const auto run = require(runModel(model, ids));
        QVERIFY(near(found.pattern_distance(0, last), distanceOf(*run, {0, 0}, found.head(last))));
        for (const float distance : found.pattern_distance.values())
            QVERIFY(distance >= 0.0f && distance <= 0.693148f);
        for (const float cosine : found.output_cosine.values())
            QVERIFY(std::abs(cosine) <= 1.00001f);
    }

    /// An ablated head writes nothing, and those before it are as they were.
    void headsCanBeAblated() {
        const auto model = loadFixture("gpt2");
        const std::vector<TokenIds> prompts{{5, 17, 3, 42}};
        HeadMask mask;
        mask.set({1, 0}, AblationKind::Zero);
        const HeadSimilarity whole = compare(model, prompts);
        const HeadSimilarity found = require(compareHeads(model, {prompts, {}, mask}));
        const std::size_t ablated = model->spec.n_heads;
        QVERIFY(whole.output_cosine(ablated, ablated) > 0.9f);
        QCOMPARE(found.output_cosine(ablated, ablated), 0.0f);
        QCOMPARE(found.pattern_distance(0, 1), whole.pattern_distance(0, 1));
        const std::size_t behind = 2 * model->spec.n_heads;
        QVERIFY(found.pattern_distance(0, behind) != whole.pattern_distance(0, behind));
        mask.set({1, 0}, AblationKind::Resample);
        QCOMPARE(compareHeads(model, {prompts, {}, mask}).error().code, ErrorCode::InvalidArgument);
    }

    void withoutPromptsOnRepeatedTokens() {
        const auto model = loadSample("attn-only-2l");
        const HeadSimilarity found = require(compareHeads(model, {{}, {.sequences = 2}}));
        QCOMPARE(found.repeats, std::string("2 random sequences of 50 tokens, repeated, seed 0"));
        SimilarityQuestion same;
        for (const InputSequence& sequence :
             require(repeatedRandomSequences(*model, {.sequences = 2})))
            same.prompts.push_back(sequence.ids);
        const HeadSimilarity given = require(compareHeads(model, same));
        QVERIFY(given.repeats.empty());
        for (std::size_t i = 0; i < found.pattern_distance.size(); ++i)
            QVERIFY(near(found.pattern_distance.values()[i],
                         static_cast<double>(given.pattern_distance.values()[i])));
    }

    void headsOfAClusterAreNeighbours() {
        const HeadSimilarity found = compare(madeHeads(), {zeros(kPositions)});
        // Heads 0 and 1 are ln 2 apart, and both nearer to head 2, which looks everywhere.
        QCOMPARE(found.tree.merges.size(), 2u);
        QCOMPARE(found.tree.merges[0].b, 2u);
        QCOMPARE(found.order.size(), 3u);
        QCOMPARE(std::set(found.order.begin(), found.order.end()).size(), 3u);
        const auto place = [&](std::size_t head) {
            return std::ranges::find(found.order, head) - found.order.begin();
        };
        QCOMPARE(std::abs(place(found.tree.merges[0].a) - place(2)), 1);
    }

    void refusals() {
        const auto model = loadFixture("gpt2");
        QVERIFY(compareHeads(model, {{{1, 2}, {3}}}).error().message.find("one token") !=
                std::string::npos);
        auto broken = std::make_shared<Model>(*model);
        broken->weights.layers[0].attn.W_O.floats().values()[0] =
            std::numeric_limits<float>::quiet_NaN();
        const SimilarityQuestion two{{{1, 2}}};
        QVERIFY(compareHeads(broken, two).error().message.find("not finite") != std::string::npos);
        std::stop_source stop;
        const auto stopped = compareHeads(
            model, two, [&](double, std::string_view) { stop.request_stop(); }, stop.get_token());
        QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestHeadSimilarity> registration;

} // namespace test_head_similarity

#include "test_head_similarity.moc"
