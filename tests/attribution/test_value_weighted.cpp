// Patterns weighted by what their values write, against the definition and numpy.

#include "core/attribution/shown_attention.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>

namespace test_value_weighted {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kStory{0, 1385, 658, 281, 596, 694, 275, 261, 678, 13, 596, 838, 260, 718, 275};

bool near(float found, double expected) {
    return std::abs(static_cast<double>(found) - expected) <=
           1e-5 * std::max(1.0, std::abs(expected));
}

/// From the values of a run, by plain loops.
double normOf(const Run& run, LayerHead head, std::size_t key) {
    const ModelSpec& spec = run.model->spec;
    const Tensor& v = run.captured.at({HookKind::V, head.layer});
    const Tensor W_O = run.model->weights.layers[head.layer].attn.W_O.widened();
    double sum = 0.0;
    for (std::size_t column = 0; column < spec.d_model; ++column) {
        double written = 0.0;
        for (std::size_t i = 0; i < spec.d_head; ++i)
            written += static_cast<double>(v(key, spec.kvPlace(head), i)) *
                       static_cast<double>(W_O(head.head * spec.d_head + i, column));
        sum += written * written;
    }
    return std::sqrt(sum);
}

} // namespace

class TestValueWeighted : public QObject {
    Q_OBJECT

private slots:
    void normsAreThoseOfTheValues_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt2", "llama-gqa", "falcon-mqa", "bert", "gemma2"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void normsAreThoseOfTheValues() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const TokenIds ids{3, 9, 4, 4, 17, 2};
        HookSet hooks;
        hooks.capture("blocks.*.attn.hook_v");
        const auto run = require(runModel(model, ids, {}, hooks));
        const Tensor norms = require(valueNorms(model, ids));
        QCOMPARE(norms.shape(), (Shape{model->spec.n_layers, model->spec.n_heads, ids.size()}));
        for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
            for (std::size_t head = 0; head < model->spec.n_heads; ++head)
                for (std::size_t key = 0; key < ids.size(); ++key)
                    QVERIFY(near(norms(layer, head, key), normOf(*run, {layer, head}, key)));
    }

    /// Head 4.1 of gpt2-mini-6l, from the last position; float64 numpy.
    void againstNumpy() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto run = require(runModel(model, kStory));
        const Tensor norms = require(valueNorms(model, kStory));
        QVERIFY(near(norms(4, 1, 0), 0.911243));
        QVERIFY(near(norms(4, 1, 13), 23.238654));
        const Tensor weighted =
            valueWeightedPattern(*run, norms, {4, 1}, {14, 15}, {0, kStory.size()});
        QVERIFY(near(weighted(0, 0), 0.095139));
        QVERIFY(near(weighted(0, 2), 16.211869));
        QVERIFY(near(weighted(0, 11), 0.912603));
        const Tensor share =
            valueWeightedPattern(*run, norms, {4, 1}, {14, 15}, {2, 12}, RowScale::SumToOne);
        QCOMPARE(share.shape(), (Shape{1, 10}));
        QVERIFY(near(share(0, 0), 0.899468));
        QVERIFY(near(share(0, 9), 0.050633));
    }

    /// Many blocks of rows, of which a tile is cut out.
    void tilesAgreeWithTheWhole() {
        const auto model = loadSample("llama-mini-gqa-4l");
        TokenIds ids;
        for (std::size_t i = 0; i < 200; ++i)
            ids.push_back(static_cast<TokenId>(1 + 13 * i % 500));
        const auto run = require(runModel(model, ids));
        const Tensor norms = require(valueNorms(model, ids));
        const PositionRange all{0, ids.size()};
        for (const RowScale scale : {RowScale::None, RowScale::SumToOne}) {
            const Tensor whole = valueWeightedPattern(*run, norms, {2, 4}, all, all, scale);
            const Tensor tile =
                valueWeightedPattern(*run, norms, {2, 4}, {33, 190}, {20, 60}, scale);
            for (std::size_t query = 33; query < 190; ++query)
                for (std::size_t key = 20; key < 60; ++key)
                    QVERIFY(
                        near(tile(query - 33, key - 20), static_cast<double>(whole(query, key))));
            for (std::size_t query = 0; query < ids.size(); ++query) {
                double sum = 0.0;
                for (std::size_t key = 0; key < ids.size(); ++key)
                    sum += static_cast<double>(whole(query, key));
                QVERIFY(scale == RowScale::None || std::abs(sum - 1.0) < 1e-5);
            }
        }
    }

    /// Cells of three queries and seven keys, some of them beyond the causal mask.
    void poolingKeepsTheLargest() {
        const auto model = loadSample("gpt2-mini-6l");
        const auto run = require(runModel(model, kStory));
        const Tensor norms = require(valueNorms(model, kStory));
        const PositionRange all{0, kStory.size()};
        const Tensor whole =
            valueWeightedPattern(*run, norms, {4, 1}, all, all, RowScale::SumToOne);
        const Tensor pooled =
            pooledValueWeightedPattern(*run, norms, {4, 1}, {3, 15}, {0, 14}, 4, 2);
        QCOMPARE(pooled.shape(), (Shape{4, 2}));
        for (std::size_t row = 0; row < 4; ++row) {
            for (std::size_t column = 0; column < 2; ++column) {
                float largest = NAN;
                for (std::size_t q = 3 + 3 * row; q < 6 + 3 * row; ++q)
                    for (std::size_t k = 7 * column; k < 7 * column + 7 && k <= q; ++k)
                        largest = std::fmax(largest, whole(q, k));
                QCOMPARE(std::isnan(pooled(row, column)), std::isnan(largest));
                QVERIFY(std::isnan(largest) || near(pooled(row, column), double{largest}));
            }
        }
        QVERIFY(std::isnan(pooled(0u, 1u))); // queries 3 to 5 see no key from 7 on
        QCOMPARE(pooledValueWeightedPattern(*run, norms, {4, 1}, all, all, 99, 99).shape(),
                 (Shape{15, 15}));
    }

    void oneToken() {
        const auto model = loadSample("notebook");
        const auto run = require(runModel(model, {0}));
        const Tensor norms = require(valueNorms(model, {0}));
        const Tensor share =
            valueWeightedPattern(*run, norms, {0, 0}, {0, 1}, {0, 1}, RowScale::SumToOne);
        QCOMPARE(share(0, 0), 1.0f);
    }

    void rowsOfZerosStay() {
        const auto model = loadFixture("gpt2");
        const auto run = require(runModel(model, {1, 2}));
        const Tensor none({model->spec.n_layers, model->spec.n_heads, 2});
        const Tensor share =
            valueWeightedPattern(*run, none, {0, 0}, {0, 2}, {0, 2}, RowScale::SumToOne);
        QVERIFY(std::ranges::all_of(share.values(), [](float x) { return x == 0.0f; }));
    }

    void weightsThatAreNotFinite() {
        auto broken = std::make_shared<Model>(*loadFixture("gpt2"));
        broken->weights.layers[0].attn.W_QKV.floats().values()[0] =
            std::numeric_limits<float>::quiet_NaN();
        const auto norms = valueNorms(broken, {1, 2});
        QVERIFY(!norms);
        QVERIFY(norms.error().message.find("not finite") != std::string::npos);
    }
};

const headscope::test::TestRegistration<TestValueWeighted> registration;

} // namespace test_value_weighted

#include "test_value_weighted.moc"
