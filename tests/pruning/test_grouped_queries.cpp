// Key and value heads pooled: where nothing can be lost, against definitions, and the losses
// against the float64 reference engine.

#include "core/base/random.h"
#include "core/pruning/grouped_queries.h"
#include "core/tensor/linear_algebra.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace test_grouped_queries {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr double kSame = 1e-4; ///< relative

double uniform(Random& random) {
    return static_cast<double>(random.below(2001)) / 1000.0 - 1.0;
}

/// The first column of a KV head's keys, or of its values, in W_QKV.
std::size_t firstKey(const ModelSpec& spec, std::size_t kv_head) {
    return spec.queryWidth() + kv_head * spec.d_head;
}
std::size_t firstValue(const ModelSpec& spec, std::size_t kv_head) {
    return spec.queryWidth() + spec.keyWidth() + kv_head * spec.valueDim();
}

/// Columns [to, to + width) become columns [from, ..) times a map, in W_QKV and b_QKV.
void mapColumns(AttentionWeights& attn, std::size_t to, std::size_t from, const DoubleMatrix& map) {
    for (Tensor* const tensor : {&attn.W_QKV.floats(), &attn.b_QKV}) {
        if (tensor->empty())
            continue;
        const MutableMatrixView rows = tensor->matrix();
        for (std::size_t r = 0; r < rows.rows; ++r)
            for (std::size_t c = 0; c < map.cols; ++c) {
                double sum = 0.0;
                for (std::size_t i = 0; i < map.rows; ++i)
                    sum += double{rows.row(r)[from + i]} * map(i, c);
                rows.row(r)[to + c] = static_cast<float>(sum);
            }
    }
}

DoubleMatrix identity(std::size_t size) {
    DoubleMatrix matrix(size, size);
    for (std::size_t i = 0; i < size; ++i)
        matrix(i, i) = 1.0;
    return matrix;
}

/// Far from singular.
DoubleMatrix someMap(std::size_t size, Random& random) {
    DoubleMatrix matrix = identity(size);
    for (double& value : matrix.values)
        value += 0.5 * uniform(random) / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i)
        matrix(i, i) *= i % 2 == 0 ? 1.5 : -0.7;
    return matrix;
}

/// That rotary positions do not notice: planes turned and scaled, the rest mapped as one likes.
DoubleMatrix mapOfKeys(const ModelSpec& spec, std::size_t layer, Random& random) {
    const RotarySpec* const rotary = spec.rotaryIn(layer);
    const std::size_t turned = rotary ? rotary->d_rotary : 0;
    DoubleMatrix map(spec.d_head, spec.d_head);
    const DoubleMatrix rest = someMap(spec.d_head - turned, random);
    for (std::size_t r = 0; r < rest.rows; ++r)
        for (std::size_t c = 0; c < rest.cols; ++c)
            map(turned + r, turned + c) = rest(r, c);
    for (std::size_t i = 0; i < turned / 2; ++i) {
        const bool adjacent = rotary->pairs == RotaryPairs::Adjacent;
        const std::size_t x = adjacent ? 2 * i : i;
        const std::size_t y = adjacent ? 2 * i + 1 : i + turned / 2;
        const double re = 1.0 + 0.4 * uniform(random);
        const double im = uniform(random);
        map(x, x) = map(y, y) = re;
        map(x, y) = im;
        map(y, x) = -im;
    }
    return map;
}

using MapOfHead = std::function<DoubleMatrix(std::size_t layer)>;

/// The keys and values of each group are those of its first KV head, mapped.
std::shared_ptr<const Model> withGroups(const Model& model, std::size_t n_kv_heads,
                                        const MapOfHead& of_keys, const MapOfHead& of_values) {
    auto grouped = std::make_shared<Model>(model);
    const ModelSpec& spec = model.spec;
    const std::size_t in_group = spec.n_kv_heads / n_kv_heads;
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        for (std::size_t kv_head = 0; kv_head < spec.n_kv_heads; ++kv_head) {
            const std::size_t first = kv_head - kv_head % in_group;
            if (first == kv_head)
                continue;
            AttentionWeights& attn = grouped->weights.layers[layer].attn;
            mapColumns(attn, firstKey(spec, kv_head), firstKey(spec, first), of_keys(layer));
            mapColumns(attn, firstValue(spec, kv_head), firstValue(spec, first), of_values(layer));
        }
    return grouped;
}

double relative(const Tensor& found, const Tensor& expected) {
    return difference(found.view(), expected.view()).relative;
}

AttentionMoments momentsOf(const std::shared_ptr<const Model>& model) {
    return require(attentionMoments(model, randomPassages(*model, 12, 14, 1)));
}

/// Activations [position, head, width] of the first layer in all passages, one head as a matrix.
DoubleMatrix ofHead(const std::shared_ptr<const Model>& model, const PassageSet& text,
                    HookKind kind, std::size_t head) {
    DoubleMatrix rows;
    for (const Passage& passage : text.passages) {
        HookSet hooks;
        hooks.capture(HookPoint{kind, 0});
        const auto run = require(runModel(model, passage.ids, {}, hooks));
        const Tensor& x = run->captured.at({kind, 0});
        rows.cols = x.dim(2);
        rows.rows += x.dim(0);
        for (std::size_t t = 0; t < x.dim(0); ++t)
            for (std::size_t d = 0; d < x.dim(2); ++d)
                rows.values.push_back(x(t, head, d));
    }
    return rows;
}

DoubleMatrix centred(DoubleMatrix rows) {
    for (std::size_t c = 0; c < rows.cols; ++c) {
        double sum = 0.0;
        for (std::size_t r = 0; r < rows.rows; ++r)
            sum += rows(r, c);
        for (std::size_t r = 0; r < rows.rows; ++r)
            rows(r, c) -= sum / static_cast<double>(rows.rows);
    }
    return rows;
}

DoubleMatrix outputRows(const Model& model, std::size_t head) {
    const std::size_t width = model.spec.valueDim();
    return DoubleMatrix(model.weights.layers[0].attn.W_O.matrix().rowRange(head * width, width));
}

/// Σ of all squares of the differences.
double squares(const DoubleMatrix& a, const DoubleMatrix& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.values.size(); ++i)
        sum += (a.values[i] - b.values[i]) * (a.values[i] - b.values[i]);
    return sum;
}

/// What the best matrix of this rank leaves of some that stand side by side (Eckart & Young 1936).
double leftByRank(const std::vector<DoubleMatrix>& parts, std::size_t rank) {
    std::size_t cols = 0;
    for (const DoubleMatrix& part : parts)
        cols += part.cols;
    Tensor all({parts.front().rows, cols});
    std::size_t first = 0;
    for (const DoubleMatrix& part : parts) {
        for (std::size_t r = 0; r < part.rows; ++r)
            for (std::size_t c = 0; c < part.cols; ++c)
                all(r, first + c) = static_cast<float>(part(r, c));
        first += part.cols;
    }
    const auto svd = require(thinSvd(std::as_const(all).matrix()));
    double left = 0.0;
    for (std::size_t i = rank; i < svd.S.size(); ++i)
        left += svd.S[i] * svd.S[i];
    return left;
}

/// A sum in double, and what rounding to float32 may do to its terms.
struct Sum {
    double value = 0.0;
    double size = 0.0;

    void add(double term) {
        value += term;
        size += std::abs(term);
    }
    bool isNear(double other) const { return std::abs(other - value) <= 3e-6 * size; }
};

} // namespace

class TestGroupedQueries : public QObject {
    Q_OBJECT

private slots:
    void equalHeadsPoolWithoutLoss_data();
    void equalHeadsPoolWithoutLoss();
    void mappedHeadsPoolWithoutLossByLeastSquares_data();
    void mappedHeadsPoolWithoutLossByLeastSquares();
    void constantValuesGoIntoTheBias();
    void constantKeysStillTurn();
    void leastSquaresLoseTheLeast();
    void meanIsTheMean();
    void momentsAreThoseOfAllPositions();
    void countsDivide();
    void refusals();
};

void TestGroupedQueries::equalHeadsPoolWithoutLoss_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name :
         {"gpt2", "bloom", "gptj", "llama-gqa", "falcon-grouped", "qwen2", "qwen3", "gemma2",
          "bert", "hooked-grouped", "mixtral", "gpt_oss", "olmo-clip"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGroupedQueries::equalHeadsPoolWithoutLoss() {
    QFETCH(QString, fixture);
    const auto whole = predictingFixture(fixture.toStdString());
    QVERIFY(whole->spec.n_kv_heads > 1);
    for (const std::size_t count : pooledCounts(whole->spec)) {
        const auto same = withGroups(
            *whole, count, [&](std::size_t) { return identity(whole->spec.d_head); },
            [&](std::size_t) { return identity(whole->spec.valueDim()); });
        const AttentionMoments moments = momentsOf(same);
        const Tensor expected = outputs(same);
        for (const Pooling pooling : poolings()) {
            const auto pooled = require(pooledModel(*same, count, pooling, &moments));
            QCOMPARE(pooled->spec.n_kv_heads, count);
            const double found = relative(outputs(pooled), expected);
            QVERIFY2(found < kSame, qPrintable(QString::number(found)));
        }
    }
}

void TestGroupedQueries::mappedHeadsPoolWithoutLossByLeastSquares_data() {
    QTest::addColumn<QString>("fixture");
    for (const char* name :
         {"gpt2", "bloom", "gptj", "gpt_neox", "llama-gqa", "qwen2", "bert", "gpt_oss"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestGroupedQueries::mappedHeadsPoolWithoutLossByLeastSquares() {
    QFETCH(QString, fixture);
    const auto whole = predictingFixture(fixture.toStdString());
    QVERIFY(whole->spec.n_kv_heads > 1);
    for (const std::size_t count : pooledCounts(whole->spec)) {
        Random random(7);
        const auto mapped = withGroups(
            *whole, count, [&](std::size_t layer) { return mapOfKeys(whole->spec, layer, random); },
            [&](std::size_t) { return someMap(whole->spec.valueDim(), random); });
        const AttentionMoments moments = momentsOf(mapped);
        const Tensor expected = outputs(mapped);
        const auto by = [&](Pooling pooling) {
            return relative(outputs(require(pooledModel(*mapped, count, pooling, &moments))),
                            expected);
        };
        QVERIFY2(by(Pooling::LeastSquares) < kSame,
                 qPrintable(QString::number(by(Pooling::LeastSquares))));
        QVERIFY(by(Pooling::Mean) > 10.0 * kSame);
    }
}

/// Values that differ from head to head and not from position to position are all in b_O, also
/// where the family has none.
void TestGroupedQueries::constantValuesGoIntoTheBias() {
    for (const char* name : {"gpt2", "qwen2"}) {
        const auto whole = loadFixture(name);
        const ModelSpec& spec = whole->spec;
        auto constant = std::make_shared<Model>(*withGroups(
            *whole, 1, [&](std::size_t) { return identity(spec.d_head); },
            [&](std::size_t) { return identity(spec.valueDim()); }));
        Random random(3);
        for (LayerWeights& layer : constant->weights.layers)
            for (std::size_t c = firstValue(spec, 0); c < spec.qkvWidth(); ++c) {
                layer.attn.b_QKV(c) = static_cast<float>(uniform(random));
                for (std::size_t r = 0; r < spec.d_model; ++r)
                    layer.attn.W_QKV.floats()(r, c) = 0.0f;
            }
        const AttentionMoments moments = momentsOf(constant);
        const auto pooled = require(pooledModel(*constant, 1, Pooling::LeastSquares, &moments));
        QVERIFY(!pooled->weights.layers[0].attn.b_O.empty());
        QVERIFY(relative(outputs(pooled), outputs(constant)) < kSame);
    }
}

/// With rotary positions, what all keys have in common scores by its distance.
void TestGroupedQueries::constantKeysStillTurn() {
    const auto whole = loadFixture("qwen2");
    const ModelSpec& spec = whole->spec;
    auto constant = std::make_shared<Model>(*whole);
    Random random(3);
    for (LayerWeights& layer : constant->weights.layers)
        for (std::size_t c = firstKey(spec, 0); c < firstValue(spec, 0); ++c) {
            layer.attn.b_QKV(c) = static_cast<float>(2.0 * uniform(random));
            for (std::size_t r = 0; r < spec.d_model; ++r)
                layer.attn.W_QKV.floats()(r, c) = 0.0f;
        }
    const auto same = withGroups(
        *constant, 1, [&](std::size_t) { return identity(spec.d_head); },
        [&](std::size_t) { return identity(spec.valueDim()); });
    const AttentionMoments moments = momentsOf(same);
    const auto pooled = require(pooledModel(*same, 1, Pooling::LeastSquares, &moments));
    QVERIFY(relative(outputs(pooled), outputs(same)) < kSame);
}

/// Of the scores and of what is written, in the first layer, which reads the same in both networks;
/// the second of two groups.
void TestGroupedQueries::leastSquaresLoseTheLeast() {
    const auto whole = loadFixture("gpt2");
    const ModelSpec& spec = whole->spec;
    const PassageSet text = randomPassages(*whole, 12, 14, 1);
    const AttentionMoments moments = require(attentionMoments(whole, text));
    const auto pooled = require(pooledModel(*whole, 2, Pooling::LeastSquares, &moments));
    const DoubleMatrix pooled_keys = centred(ofHead(pooled, text, HookKind::K, 1));
    const DoubleMatrix pooled_values = centred(ofHead(pooled, text, HookKind::V, 1));
    std::vector<DoubleMatrix> scores;
    std::vector<DoubleMatrix> written;
    double lost_scores = 0.0;
    double lost_writing = 0.0;
    for (std::size_t head = spec.n_heads / 2; head < spec.n_heads; ++head) {
        scores.push_back(productTransposed(centred(ofHead(whole, text, HookKind::K, head)),
                                           ofHead(whole, text, HookKind::Q, head)));
        lost_scores += squares(
            scores.back(), productTransposed(pooled_keys, ofHead(pooled, text, HookKind::Q, head)));
        written.push_back(
            product(centred(ofHead(whole, text, HookKind::V, head)), outputRows(*whole, head)));
        lost_writing += squares(written.back(), product(pooled_values, outputRows(*pooled, head)));
    }
    QVERIFY(std::abs(lost_scores / leftByRank(scores, spec.d_head) - 1.0) < 1e-3);
    QVERIFY(std::abs(lost_writing / leftByRank(written, spec.valueDim()) - 1.0) < 1e-3);
}

void TestGroupedQueries::meanIsTheMean() {
    const auto model = loadFixture("gpt2");
    const ModelSpec& spec = model->spec;
    const std::size_t count = spec.n_kv_heads / 2;
    const auto pooled = require(pooledModel(*model, count, Pooling::Mean, nullptr));
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const AttentionWeights& from = model->weights.layers[layer].attn;
        const AttentionWeights& to = pooled->weights.layers[layer].attn;
        QCOMPARE(to.W_QKV.dim(1), pooled->spec.qkvWidth());
        QCOMPARE(relative(to.W_O.floats(), from.W_O.floats()), 0.0);
        QCOMPARE(relative(to.b_O, from.b_O), 0.0);
        for (std::size_t c = 0; c < spec.queryWidth(); ++c)
            QCOMPARE(to.W_QKV(1, c), from.W_QKV(1, c));
        const auto isMean = [](float found, float a, float b) {
            return std::abs(found - (a + b) / 2.0f) < 1e-7f;
        };
        for (std::size_t kv_head = 0; kv_head < count; ++kv_head)
            for (std::size_t d = 0; d < spec.d_head; ++d) {
                const std::array<std::size_t, 2> keys{firstKey(spec, 2 * kv_head) + d,
                                                      firstKey(spec, 2 * kv_head + 1) + d};
                const std::array<std::size_t, 2> values{firstValue(spec, 2 * kv_head) + d,
                                                        firstValue(spec, 2 * kv_head + 1) + d};
                const std::size_t key = firstKey(pooled->spec, kv_head) + d;
                const std::size_t value = firstValue(pooled->spec, kv_head) + d;
                QVERIFY(isMean(to.W_QKV(1, key), from.W_QKV(1, keys[0]), from.W_QKV(1, keys[1])));
                QVERIFY(isMean(to.b_QKV(key), from.b_QKV(keys[0]), from.b_QKV(keys[1])));
                QVERIFY(
                    isMean(to.W_QKV(1, value), from.W_QKV(1, values[0]), from.W_QKV(1, values[1])));
                QVERIFY(isMean(to.b_QKV(value), from.b_QKV(values[0]), from.b_QKV(values[1])));
            }
    }
}

void TestGroupedQueries::momentsAreThoseOfAllPositions() {
    const auto model = loadFixture("llama-gqa");
    const ModelSpec& spec = model->spec;
    const PassageSet text = randomPassages(*model, 3, 10, 4);
    const AttentionMoments moments = require(attentionMoments(model, text));
    const std::size_t layer = 1;
    const std::size_t kv_head = 1;
    Sum keys;
    Sum values;
    Sum queries;
    std::size_t positions = 0;
    for (const Passage& passage : text.passages) {
        HookSet hooks;
        for (const HookKind kind : {HookKind::Q, HookKind::K, HookKind::V})
            hooks.capture(HookPoint{kind, layer});
        const auto run = require(runModel(model, passage.ids, {}, hooks));
        const Tensor& q = run->captured.at({HookKind::Q, layer});
        const Tensor& k = run->captured.at({HookKind::K, layer});
        const Tensor& v = run->captured.at({HookKind::V, layer});
        for (std::size_t t = 0; t < passage.ids.size(); ++t) {
            keys.add(double{k(t, kv_head, 0)} * double{k(t, std::size_t{0}, 2)});
            values.add(double{v(t, kv_head, 3)});
            for (std::size_t head = 0; head < spec.n_heads; ++head)
                if (spec.kvHeadOf({layer, head}) == kv_head)
                    queries.add(double{q(t, head, 1)} * double{q(t, head, 2)});
        }
        positions += passage.ids.size();
    }
    const AttentionMoments::Layer& found = moments.layers[layer];
    QCOMPARE(found.keys.positions, positions);
    QVERIFY(keys.isNear(found.keys.gram(kv_head * spec.d_head, 2)));
    QVERIFY(values.isNear(found.values.sum[kv_head * spec.valueDim() + 3]));
    QVERIFY(queries.isNear(found.queries[kv_head](1, 2)));
}

void TestGroupedQueries::countsDivide() {
    ModelSpec spec;
    spec.n_kv_heads = 12;
    QCOMPARE(pooledCounts(spec), (std::vector<std::size_t>{6, 4, 3, 2, 1}));
    spec.n_kv_heads = 5;
    QCOMPARE(pooledCounts(spec), (std::vector<std::size_t>{1}));
    spec.n_kv_heads = 1;
    QVERIFY(pooledCounts(spec).empty());
}

void TestGroupedQueries::refusals() {
    const auto refused = [](const std::shared_ptr<const Model>& model) {
        return pooledModel(*model, 1, Pooling::Mean, nullptr).error().message;
    };
    QVERIFY(refused(loadFixture("llama-mqa-headdim")).find("one key and value head") !=
            std::string::npos);
    QVERIFY(refused(loadFixture("deepseek_v3")).find("latent attention") != std::string::npos);
    QVERIFY(refused(loadFixture("olmo2")).find("all heads together") != std::string::npos);
    QVERIFY(refused(loadFixture("stablelm-qk-norm")).find("gains of its own") != std::string::npos);
    const auto model = loadFixture("gpt2");
    QVERIFY(refused(require(smallerModel(*model, {{{0, 1}}, {}}))).find("has lost heads") !=
            std::string::npos);
    const auto uneven = pooledModel(*model, model->spec.n_kv_heads, Pooling::Mean, nullptr);
    QVERIFY(!uneven && uneven.error().code == ErrorCode::InvalidArgument);
}

const headscope::test::TestRegistration<TestGroupedQueries> registration;

} // namespace test_grouped_queries

#include "test_grouped_queries.moc"
