#include "core/circuits/composition.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace test_composition {

using namespace headscope;
using namespace headscope::test;

namespace {

using enum CompositionKind;

/// Two layers of one head with one dimension each: the first reads dimension 0 and writes
/// `written`, the second reads dimension 1 as query, 2 as key and 3 as value.
Model chain(std::size_t written) {
    Model model = bareModel({.n_layers = 2, .d_head = 1});
    valueWeights(model, {0, 0})(0, 0) = 2.0f;
    outputWeights(model, {0, 0})(0, written) = -3.0f;
    queryWeights(model, {1, 0})(1, 0) = 0.5f;
    keyWeights(model, {1, 0})(2, 0) = 4.0f;
    valueWeights(model, {1, 0})(3, 0) = 0.1f;
    outputWeights(model, {1, 0})(0, 0) = 7.0f;
    return model;
}

CompositionScores scoresOf(const Model& model, std::optional<Offset> offset = std::nullopt) {
    return require(compositionScores(foldWeights(model), offset));
}

double sumOf(const Tensor& scores) {
    double sum = 0.0;
    for (const float score : scores.values())
        if (!std::isnan(score))
            sum += static_cast<double>(score);
    return sum;
}

} // namespace

class TestComposition : public QObject {
    Q_OBJECT

private slots:
    void equalSubspacesGive1AndOrthogonalOnes0_data() {
        QTest::addColumn<int>("written");
        QTest::newRow("into nothing") << 0;
        QTest::newRow("into the query") << 1;
        QTest::newRow("into the key") << 2;
        QTest::newRow("into the value") << 3;
    }
    void equalSubspacesGive1AndOrthogonalOnes0() {
        QFETCH(int, written);
        const CompositionScores scores = scoresOf(chain(static_cast<std::size_t>(written)));
        int dimension = 1;
        for (const CompositionKind kind : kCompositionKinds)
            QCOMPARE(scores.at(kind, {0, 0}, {1, 0}), dimension++ == written ? 1.0 : 0.0);
    }

    /// Of two equal dimensions ‖I · I‖ / (‖I‖ · ‖I‖) = 1/√2; half of them 1/2.
    void sharedPartsOfASubspace() {
        for (const std::size_t shift : {0u, 1u}) {
            Model model = bareModel({.n_layers = 2, .d_model = 8});
            addDiagonal(valueWeights(model, {0, 0}), 0, 0);
            addDiagonal(outputWeights(model, {0, 0}), 0, 0);
            addDiagonal(valueWeights(model, {1, 0}), shift, 0);
            addDiagonal(outputWeights(model, {1, 0}), 0, 0);
            const double expected = shift == 0 ? std::sqrt(0.5) : 0.5;
            QVERIFY(std::abs(scoresOf(model).at(V, {0, 0}, {1, 0}) - expected) < 1e-6);
        }
    }

    /// The two dimensions of the first head write 3 · ⅓ and −1 of the same: nothing, but for
    /// rounding.
    void headThatWritesNothingHasNoScore() {
        Model model = bareModel({.n_layers = 2, .d_model = 8});
        for (std::size_t i = 0; i < 8; ++i) {
            const float each = 1.0f / static_cast<float>(i + 3);
            valueWeights(model, {0, 0})(i, 0) = 3.0f * each;
            valueWeights(model, {0, 0})(i, 1) = each;
            outputWeights(model, {0, 0})(0, i) = -each / 3.0f;
            outputWeights(model, {0, 0})(1, i) = each;
        }
        addDiagonal(valueWeights(model, {1, 0}), 0, 0);
        addDiagonal(outputWeights(model, {1, 0}), 0, 0);
        QVERIFY(std::isnan(scoresOf(model).at(V, {0, 0}, {1, 0})));
        const auto ov = [&](std::size_t layer) {
            return ovCircuit(foldWeights(model), {layer, 0});
        };
        QVERIFY(std::isnan(compositionScore(ov(0), ov(1))));
        outputWeights(model, {0, 0})(1, 0) = 0.0f;
        QVERIFY(scoresOf(model).at(V, {0, 0}, {1, 0}) > 0.0);
    }

    /// numpy in float64 and TransformerLens's all_composition_scores.
    void sampleModel() {
        const CompositionScores scores = scoresOf(*loadSample("gpt2-mini-6l"));
        const auto check = [&](CompositionKind kind, LayerHead from, LayerHead to,
                               double expected) {
            QVERIFY2(std::abs(scores.at(kind, from, to) - expected) < 1e-6,
                     std::to_string(scores.at(kind, from, to)).c_str());
        };
        check(Q, {0, 0}, {4, 1}, 0.062826075);
        check(K, {0, 0}, {4, 1}, 0.086947514);
        check(V, {0, 0}, {4, 1}, 0.058875298);
        check(Q, {2, 1}, {5, 7}, 0.054962586);
        check(K, {2, 1}, {5, 7}, 0.050755144);
        check(V, {2, 1}, {5, 7}, 0.043675886);
        QVERIFY(std::abs(sumOf(scores.scores[0]) - 64.209817) < 1e-3);
        QVERIFY(std::abs(sumOf(scores.scores[1]) - 61.126069) < 1e-3);
        QVERIFY(std::abs(sumOf(scores.scores[2]) - 56.874747) < 1e-3);
    }

    /// numpy in float64: queries and keys turned at their positions, W_K and W_V of the group.
    void rotaryModelWithGroups_data() {
        QTest::addColumn<int>("offset");
        QTest::addColumn<double>("q1");
        QTest::addColumn<double>("k1");
        QTest::addColumn<double>("q2");
        QTest::addColumn<double>("k2");
        QTest::newRow("0") << 0 << 0.098204419 << 0.189860037 << 0.059710635 << 0.064395175;
        QTest::newRow("1") << 1 << 0.098205880 << 0.189914185 << 0.059460248 << 0.064366909;
        QTest::newRow("-7") << -7 << 0.098056358 << 0.189435482 << 0.059747909 << 0.064418900;
    }
    void rotaryModelWithGroups() {
        QFETCH(int, offset);
        QFETCH(double, q1);
        QFETCH(double, k1);
        QFETCH(double, q2);
        QFETCH(double, k2);
        const CompositionScores scores = scoresOf(*loadSample("llama-mini-gqa-4l"), offset);
        QCOMPARE(scores.offset, std::optional<Offset>(offset));
        QVERIFY(std::abs(scores.at(Q, {1, 6}, {2, 4}) - q1) < 1e-6);
        QVERIFY(std::abs(scores.at(K, {1, 6}, {2, 4}) - k1) < 1e-6);
        QVERIFY(std::abs(scores.at(V, {1, 6}, {2, 4}) - 0.032289343) < 1e-6);
        QVERIFY(std::abs(scores.at(Q, {0, 3}, {3, 7}) - q2) < 1e-6);
        QVERIFY(std::abs(scores.at(K, {0, 3}, {3, 7}) - k2) < 1e-6);
        QVERIFY(std::abs(scores.at(V, {0, 3}, {3, 7}) - 0.064712145) < 1e-6);
    }

    void agreesWithSinglePairs() {
        const FoldedWeights folded = foldWeights(loadSample("llama-mini-gqa-4l"));
        const CompositionScores scores = require(compositionScores(folded, 12));
        const FactoredMatrix earlier = ovCircuit(folded, {0, 2});
        const double value = compositionScore(earlier, ovCircuit(folded, {2, 5}));
        QVERIFY(std::abs(scores.at(V, {0, 2}, {2, 5}) - value) < 1e-6);
        const double query = compositionScore(earlier, require(qkCircuit(folded, {2, 5}, 12)));
        QVERIFY(std::abs(scores.at(Q, {0, 2}, {2, 5}) - query) < 1e-6);
    }

    void rotaryWithoutOffsetDefinesValuesOnly() {
        const CompositionScores scores = scoresOf(*loadSample("llama-mini-gqa-4l"));
        QVERIFY(std::isnan(scores.at(Q, {1, 6}, {2, 4})));
        QVERIFY(std::isnan(scores.at(K, {1, 6}, {2, 4})));
        QVERIFY(std::abs(scores.at(V, {1, 6}, {2, 4}) - 0.032289343) < 1e-6);
        for (const CompositionEdge& edge : strongestEdges(scores, 10'000))
            QCOMPARE(edge.kind, V);
        QVERIFY(!compositionScores(foldWeights(loadSample("llama-mini-gqa-4l")), 256));
    }

    void onlyEarlierHeadsFeedLaterOnes() {
        const CompositionScores scores = scoresOf(*loadSample("attn-only-2l"));
        for (const CompositionKind kind : kCompositionKinds) {
            QVERIFY(std::isnan(scores.at(kind, {0, 1}, {0, 2})));
            QVERIFY(std::isnan(scores.at(kind, {1, 1}, {0, 2})));
            QVERIFY(!std::isnan(scores.at(kind, {0, 1}, {1, 2})));
        }
    }

    void strongestFirst() {
        const CompositionScores scores = scoresOf(*loadSample("gpt2-mini-6l"));
        const std::vector<CompositionEdge> edges = strongestEdges(scores, 4);
        QCOMPARE(edges.size(), 4u);
        const LayerHead duplicate{2, 1};
        QVERIFY(
            (edges[0].kind == V && edges[0].from == duplicate && edges[0].to == LayerHead{3, 0}));
        QVERIFY(
            (edges[1].kind == Q && edges[1].from == duplicate && edges[1].to == LayerHead{3, 0}));
        QVERIFY(
            (edges[2].kind == Q && edges[2].from == duplicate && edges[2].to == LayerHead{3, 4}));
        QVERIFY(std::abs(edges[0].score - 0.528352396) < 1e-6);
        QCOMPARE(edges[0].above_baseline, edges[0].score - scores.baseline);
        // 8 heads in each of 6 layers, 3 kinds.
        QCOMPARE(strongestEdges(scores, 1'000'000).size(), 3u * 15u * 64u);
        const std::vector<CompositionEdge> of_keys = strongestEdges(scores, 1'000'000, K);
        QCOMPARE(of_keys.size(), 15u * 64u);
        QVERIFY(std::ranges::all_of(of_keys, [](const auto& edge) { return edge.kind == K; }));
    }

    void nanAndZeroWeightsHaveNoScore() {
        Model model = chain(1);
        outputWeights(model, {0, 0})(0, 2) = std::numeric_limits<float>::quiet_NaN();
        keyWeights(model, {1, 0})(2, 0) = 0.0f;
        const CompositionScores broken = scoresOf(model);
        for (const CompositionKind kind : kCompositionKinds)
            QVERIFY(std::isnan(broken.at(kind, {0, 0}, {1, 0})));
        QVERIFY(strongestEdges(broken, 10).empty());
        outputWeights(model, {0, 0})(0, 2) = 0.0f;
        const CompositionScores silent = scoresOf(model);
        QVERIFY(std::isnan(silent.at(Q, {0, 0}, {1, 0}))); // its W_QK is 0
        QCOMPARE(silent.at(V, {0, 0}, {1, 0}), 0.0);
    }

    /// 1/√768 = 0.0361 for the shape of GPT-2 small.
    void baselineIsThatOfRandomMatrices() {
        const double gpt2 = compositionBaseline(768, 64);
        QVERIFY2(std::abs(gpt2 - 1.0 / std::sqrt(768.0)) < 5e-4, std::to_string(gpt2).c_str());
        QCOMPARE(compositionBaseline(768, 64), gpt2);
        QVERIFY(compositionBaseline(768, 64, 1) != gpt2);
        QVERIFY(std::abs(compositionBaseline(768, 64, 1) - gpt2) < 5e-4);
        QCOMPARE(scoresOf(*loadSample("attn-only-2l")).baseline, compositionBaseline(256, 32));
    }

    void reportsAndStops() {
        const FoldedWeights folded = foldWeights(loadSample("gpt2-mini-6l"));
        std::vector<double> fractions;
        std::stop_source source;
        const auto scores = compositionScores(
            folded, {},
            [&](double fraction, std::string_view) {
                fractions.push_back(fraction);
                if (fractions.size() == 3)
                    source.request_stop();
            },
            source.get_token());
        QVERIFY(!scores && scores.error().code == ErrorCode::Cancelled);
        QCOMPARE(fractions.size(), 3u);
        QCOMPARE(fractions.back(), 3.0 / 15.0);
    }
};

const headscope::test::TestRegistration<TestComposition> registration;

} // namespace test_composition

#include "test_composition.moc"
