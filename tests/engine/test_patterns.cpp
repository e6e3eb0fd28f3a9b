#include "core/engine/attention.h"
#include "core/engine/engine.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"
#include "tests/support/models.h"
#include "tests/support/reference_file.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>

namespace test_patterns {

using namespace headscope;
using namespace headscope::test;

namespace {

/// Longer than two row blocks of the blocked attention, and no multiple of one.
constexpr std::size_t kLong = 150;

constexpr std::size_t kWindow = 70; // reaches over more than one row block
constexpr std::size_t kReach = 35;  // of a window to both sides

/// "causal", "bidirectional", "window", "two-sided window", "soft-cap", "ALiBi" or "relative
/// bias".
std::shared_ptr<const Model> longModel(const QString& kind = QStringLiteral("causal")) {
    ModelSpec spec;
    spec.family = "random";
    spec.n_layers = 2;
    spec.d_model = 24;
    spec.n_heads = 4;
    spec.n_kv_heads = 2;
    spec.d_head = 6;
    spec.d_mlp = 32;
    spec.d_vocab = 50;
    spec.n_ctx = 256;
    spec.causal = kind != QLatin1String("bidirectional") &&
                  kind != QLatin1String("two-sided window") &&
                  kind != QLatin1String("relative bias");
    if (kind == QLatin1String("window"))
        spec.windows = {0, kWindow};
    if (kind == QLatin1String("two-sided window"))
        spec.windows = {0, 2 * kReach + 1};
    if (kind == QLatin1String("soft-cap"))
        spec.attention_softcap = 0.5;
    if (kind == QLatin1String("ALiBi")) {
        spec.positions = PositionKind::Alibi;
        spec.alibi_slopes = {0.5, 0.25, 0.125, 0.0625};
    }
    if (kind == QLatin1String("relative bias"))
        spec.relative_buckets = 32;
    spec.learned_sinks = kind == QLatin1String("learned sink");
    return livelyRandomModel(spec, 11);
}

TokenIds longPrompt() {
    TokenIds ids(kLong);
    for (std::size_t t = 0; t < kLong; ++t)
        ids[t] = static_cast<TokenId>(t * t % 47);
    return ids;
}

} // namespace

class TestPatterns : public QObject {
    Q_OBJECT

private slots:
    void rowsSumToOneAndLookBack_data();
    void rowsSumToOneAndLookBack();
    void blocksAgreeWithTheWholeMatrix_data();
    void blocksAgreeWithTheWholeMatrix();
    void tilesAreParts_data();
    void tilesAreParts();
    void singleWeights_data();
    void singleWeights();
    void windowsHideWhatIsTooFarBack();
    void windowsToBothSidesHideWhatIsTooFar();
    void softCapsBoundScores();
    void alibiAddsSlopeTimesDistance();
    void relativeBiasesGoByDistance();
    void learnedSinksTakeTheirShare();
    void patternsOnlyRunsStopEarly();
    void sameNumbersAtAnyThreadCount();
};

void TestPatterns::rowsSumToOneAndLookBack_data() {
    QTest::addColumn<QString>("kind");
    for (const char* kind : {"causal", "bidirectional", "window", "two-sided window", "soft-cap",
                             "ALiBi", "relative bias", "learned sink"})
        QTest::newRow(kind) << QString::fromLatin1(kind);
}

void TestPatterns::rowsSumToOneAndLookBack() {
    QFETCH(QString, kind);
    const auto model = longModel(kind);
    const auto run = require(runModel(model, longPrompt()));
    for (std::size_t layer = 0; layer < 2; ++layer) {
        for (std::size_t head = 0; head < 4; ++head) {
            const Tensor pattern = run->pattern({layer, head});
            const std::vector<float> sinks = run->sinkWeights({layer, head});
            double ahead = 0.0;
            for (std::size_t q = 0; q < kLong; ++q) {
                double sum = 0.0;
                for (std::size_t k = 0; k < kLong; ++k) {
                    sum += pattern(q, k);
                    if (k > q)
                        ahead += pattern(q, k);
                }
                const double sink = sinks.empty() ? 0.0 : sinks[q];
                QCOMPARE(sink > 0.0, model->spec.learned_sinks);
                QVERIFY(std::abs(sum + sink - 1.0) < 1e-5);
            }
            QVERIFY(model->spec.causal ? ahead == 0.0 : ahead > 1.0);
        }
    }
}

void TestPatterns::blocksAgreeWithTheWholeMatrix_data() {
    rowsSumToOneAndLookBack_data();
}

/// The blocked path against the one that holds whole patterns, and the recomputed pattern against
/// the one the forward pass used.
void TestPatterns::blocksAgreeWithTheWholeMatrix() {
    QFETCH(QString, kind);
    const auto model = longModel(kind);
    HookSet hooks;
    hooks.capture("blocks.*.attn.hook_pattern");
    const auto whole = require(runModel(model, longPrompt(), {}, hooks));
    const auto blocked = require(runModel(model, longPrompt()));
    QVERIFY(difference(blocked->logits.view(), whole->logits.view()).relative < 2e-6);
    const Tensor& kept = whole->captured.at({HookKind::Pattern, 1});
    for (std::size_t head = 0; head < 4; ++head) {
        const Tensor pattern = blocked->pattern({1, head});
        for (std::size_t q = 0; q < kLong; ++q)
            for (std::size_t k = 0; k < kLong; ++k)
                QVERIFY(std::abs(pattern(q, k) - kept(head, q, k)) <= 1e-6f);
    }
}

void TestPatterns::tilesAreParts_data() {
    rowsSumToOneAndLookBack_data();
}

void TestPatterns::tilesAreParts() {
    QFETCH(QString, kind);
    const auto run = require(runModel(longModel(kind), longPrompt()));
    const Tensor whole = run->pattern({1, 3});
    const Tensor tile = run->pattern({1, 3}, {60, 71}, {10, 65});
    QCOMPARE(tile.shape(), (Shape{11, 55}));
    for (std::size_t q = 0; q < 11; ++q)
        for (std::size_t k = 0; k < 55; ++k)
            QVERIFY(std::abs(tile(q, k) - whole(60 + q, 10 + k)) <= 1e-6f);
}

void TestPatterns::singleWeights_data() {
    rowsSumToOneAndLookBack_data();
}

void TestPatterns::singleWeights() {
    QFETCH(QString, kind);
    const auto model = longModel(kind);
    const auto run = require(runModel(model, longPrompt()));
    const Tensor whole = run->pattern({1, 2});
    for (std::size_t q = 0; q < kLong; q += 7)
        for (std::size_t k = 0; k < kLong; k += 5)
            QVERIFY(std::abs(run->weight({1, 2}, q, k) - whole(q, k)) <= 1e-6f);
    if (model->spec.causal) {
        QCOMPARE(run->weight({1, 2}, 3, 4), 0.0f);
        const std::vector<float> sinks = run->sinkWeights({1, 2});
        QCOMPARE(run->weight({1, 2}, 0, 0), sinks.empty() ? 1.0f : 1.0f - sinks.front());
    }
}

void TestPatterns::windowsHideWhatIsTooFarBack() {
    const auto run = require(runModel(longModel(QStringLiteral("window")), longPrompt()));
    for (const std::size_t q : {std::size_t{69}, std::size_t{70}, std::size_t{149}}) {
        const std::size_t first = q + 1 - kWindow;
        QVERIFY(run->weight({1, 0}, q, first) > 0.0f);
        if (first > 0)
            QCOMPARE(run->weight({1, 0}, q, first - 1), 0.0f);
        QVERIFY(run->weight({0, 0}, q, 0) > 0.0f); // layer 0 has no window
    }
}

void TestPatterns::windowsToBothSidesHideWhatIsTooFar() {
    const auto run = require(runModel(longModel(QStringLiteral("two-sided window")), longPrompt()));
    for (const std::size_t q : std::array<std::size_t, 8>{0, 34, 35, 36, 75, 114, 115, 149})
        for (std::size_t k = 0; k < kLong; ++k) {
            const std::size_t distance = std::max(q, k) - std::min(q, k);
            QCOMPARE(run->weight({1, 0}, q, k) > 0.0f, distance <= kReach);
            QVERIFY(run->weight({0, 0}, q, k) > 0.0f); // layer 0 has no window
        }
}

void TestPatterns::softCapsBoundScores() {
    HookSet hooks;
    hooks.capture("blocks.1.attn.hook_attn_scores");
    const auto run =
        require(runModel(longModel(QStringLiteral("soft-cap")), longPrompt(), {}, hooks));
    const Tensor& scores = run->captured.at({HookKind::AttnScores, 1});
    float largest = 0.0f;
    for (const float score : scores.values())
        largest = std::isinf(score) ? largest : std::max(largest, std::abs(score));
    QVERIFY(largest > 0.4f && largest <= 0.5f);
}

/// score − scale · q·k = slope · (key − query)
void TestPatterns::alibiAddsSlopeTimesDistance() {
    HookSet hooks;
    hooks.capture("blocks.1.attn.hook_attn_scores");
    const auto model = longModel(QStringLiteral("ALiBi"));
    const auto run = require(runModel(model, longPrompt(), {}, hooks));
    const Tensor& scores = run->captured.at({HookKind::AttnScores, 1});
    const LayerAttention& layer = run->attention[1];
    for (std::size_t key = 0; key <= 100; key += 20) {
        double product = 0.0;
        for (std::size_t d = 0; d < 6; ++d)
            product += static_cast<double>(layer.q(100, 3, d)) * layer.k(key, 1, d);
        const double added = scores(3, 100, key) - product / std::sqrt(6.0);
        QVERIFY(std::abs(added - 0.0625 * (static_cast<double>(key) - 100.0)) < 1e-5);
    }
}

/// Where a bucket begins, counted by transformers' MPNetEncoder.relative_position_bucket.
void TestPatterns::relativeBiasesGoByDistance() {
    constexpr std::array<std::size_t, 16> kBefore{0, 1,  2,  3,  4,  5,  6,  7,
                                                  8, 12, 16, 23, 32, 46, 64, 91};
    const auto model = longModel(QStringLiteral("relative bias"));
    const ScoreRule rule = scoreRule(*model, {1, 2});
    const Tensor biases = model->weights.W_rel_pos.widened();
    for (std::size_t bucket = 0; bucket < kBefore.size(); ++bucket) {
        const std::size_t distance = kBefore[bucket];
        QCOMPARE(rule.distance.at(100, 100 - distance), biases(bucket, 2u));
        if (distance == 0)
            continue;
        QCOMPARE(rule.distance.at(0, distance), biases(16 + bucket, 2u));
        if (distance > 1)
            QCOMPARE(rule.distance.at(100, 101 - distance), biases(bucket - 1, 2u));
    }
    QCOMPARE(rule.distance.at(5000, 0), biases(15u, 2u));
    HookSet hooks;
    hooks.capture("blocks.1.attn.hook_attn_scores");
    const auto run = require(runModel(model, longPrompt(), {}, hooks));
    const MatrixView q = headMatrix(run->attention[1].q, 2);
    const MatrixView keys = headMatrix(run->attention[1].k, 1);
    for (const std::size_t k : std::array<std::size_t, 3>{0, 40, 149}) {
        const float product = rule.scale * dot({q.row(149), 6}, {keys.row(k), 6});
        QVERIFY(std::abs(run->captured.at({HookKind::AttnScores, 1})(2u, 149u, k) - product -
                         rule.distance.at(149, k)) < 1e-5f);
    }
}

/// Where all scores are 0, a sink of ln c weighs as much as c keys.
void TestPatterns::learnedSinksTakeTheirShare() {
    constexpr std::size_t positions = 4;
    auto model = std::make_shared<Model>(*longModel(QStringLiteral("learned sink")));
    AttentionWeights& attn = model->weights.layers[0].attn;
    std::ranges::fill(attn.W_QKV.floats().values(), 0.0f);
    std::ranges::fill(attn.b_QKV.values(), 0.0f);
    attn.sinks(0u) = std::log(3.0f);
    attn.sinks(1u) = std::log(0.5f);
    HookSet hooks;
    hooks.capture("blocks.0.attn.hook_pattern");
    const auto watched = require(runModel(model, {1, 2, 3, 0}, {}, hooks));
    const auto run = require(runModel(model, {1, 2, 3, 0}));
    for (const std::size_t head : {0u, 1u}) {
        const double as_keys = head == 0 ? 3.0 : 0.5;
        const Tensor pooled = run->pooledPattern({0, head}, {0, positions}, {0, positions}, 4, 4);
        for (std::size_t q = 0; q < positions; ++q) {
            const double all = static_cast<double>(q + 1) + as_keys;
            QVERIFY(std::abs(run->sinkWeights({0, head})[q] - as_keys / all) < 1e-6);
            QVERIFY(std::abs(run->weight({0, head}, q, 0) - 1.0 / all) < 1e-6);
            QVERIFY(std::abs(pooled(q, 0u) - 1.0 / all) < 1e-6);
            QVERIFY(std::abs(run->pattern({0, head})(q, q) - 1.0 / all) < 1e-6);
            QVERIFY(std::abs(watched->captured.begin()->second(head, q, q) - 1.0 / all) < 1e-6);
        }
    }
}

void TestPatterns::patternsOnlyRunsStopEarly() {
    const auto model = loadFixture("gpt2");
    const TokenIds ids{1, 2, 3, 4};
    Request patterns_only;
    patterns_only.logits = false;
    const auto lean = require(runModel(model, ids, patterns_only));
    const auto full = require(runModel(model, ids));
    QVERIFY(lean->logits.empty());
    QVERIFY(difference(lean->pattern({2, 1}).view(), full->pattern({2, 1}).view()).absolute < 1e-7);
    Request two_layers;
    two_layers.layers = 2;
    const auto part = require(runModel(model, ids, two_layers));
    QCOMPARE(part->attention.size(), 2u);
    QVERIFY(part->logits.empty());
}

void TestPatterns::sameNumbersAtAnyThreadCount() {
    const auto model = longModel();
    setThreads(1);
    const auto one = require(runModel(model, longPrompt()));
    setThreads(4);
    const auto four = require(runModel(model, longPrompt()));
    setThreads(1);
    const auto again = require(runModel(model, longPrompt()));
    QVERIFY(difference(four->logits.view(), one->logits.view()).relative < 1e-6);
    QVERIFY(std::equal(again->logits.values().begin(), again->logits.values().end(),
                       one->logits.values().begin()));
}

const headscope::test::TestRegistration<TestPatterns> registration;

} // namespace test_patterns

#include "test_patterns.moc"
