#include "core/circuits/positional.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_positional {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kPositions = 8;

/// One head for which the query at q likes the key at q − offset by `strength`, and no other. The
/// positions are the unit vectors.
Model lookingBack(std::size_t offset, float strength) {
    Model model = bareModel({.d_head = kPositions, .d_model = kPositions});
    addDiagonal(model.weights.W_pos.floats().matrix(), 0, 0);
    addDiagonal(queryWeights(model, {0, 0}), offset, 0, strength);
    addDiagonal(keyWeights(model, {0, 0}), 0, 0);
    return model;
}

PositionalAttention attentionOf(const Model& model) {
    return require(positionalAttention(foldWeights(model))).front();
}

/// Head 0.0 moves token t to dimension t + 4 of what it writes, where 1.0 looks for keys of the
/// token that the query is, or of the token after it.
Model inductionPair(std::size_t shift) {
    Model model = bareModel({.n_layers = 2, .d_head = 4, .d_model = 8});
    addDiagonal(valueWeights(model, {0, 0}), 0, 0);
    addDiagonal(outputWeights(model, {0, 0}), 0, 4);
    addDiagonal(queryWeights(model, {1, 0}), 0, shift);
    addDiagonal(keyWeights(model, {1, 0}), 4, 0);
    return model;
}

} // namespace

class TestPositional : public QObject {
    Q_OBJECT

private slots:
    void perfectPreviousTokenHead() {
        const PositionalAttention found = attentionOf(lookingBack(1, 50.0f));
        QVERIFY(std::abs(found.previous_mass - 1.0) < 1e-6);
        QCOMPARE(found.best_offset, Offset{1});
        QCOMPARE(found.best_offset_share, 1.0);
    }

    /// Scores ln 3 against 0: of q + 1 keys the previous one gets 3 / (q + 3).
    void massByHand() {
        const PositionalAttention found = attentionOf(lookingBack(1, std::log(3.0f)));
        double mean = 0.0;
        for (std::size_t q = 1; q < kPositions; ++q)
            mean += 3.0 / static_cast<double>(q + 3) / (kPositions - 1);
        QVERIFY(std::abs(found.previous_mass - mean) < 1e-6);
        QCOMPARE(found.best_offset_share, 1.0);
    }

    /// Queries 1 and 2 have no key 3 behind them, so that all theirs are equal and the first
    /// counts.
    void otherOffsets() {
        const PositionalAttention found = attentionOf(lookingBack(3, 50.0f));
        QCOMPARE(found.best_offset, Offset{3});
        QVERIFY(std::abs(found.best_offset_share - 5.0 / 7.0) < 1e-12);
        QVERIFY(std::abs(found.previous_share - 1.0 / 7.0) < 1e-12); // query 1, at key 0
        QVERIFY(found.previous_mass < 0.2);
    }

    void bidirectionalHeadsLookAhead() {
        Model model = lookingBack(0, 0.0f);
        model.spec.causal = false;
        addDiagonal(queryWeights(model, {0, 0}), 0, 1, 50.0f); // query q likes key q + 1
        const PositionalAttention found = attentionOf(model);
        QCOMPARE(found.best_offset, Offset{-1});
        QVERIFY(std::abs(found.best_offset_share - 6.0 / 7.0) < 1e-12);
    }

    /// numpy in float64.
    void sampleModel() {
        const auto heads = require(positionalAttention(foldWeights(loadSample("gpt2-mini-6l"))));
        const auto check = [&](LayerHead head, double mass, Offset offset, double share) {
            const PositionalAttention& found = heads[head.layer * 8 + head.head];
            QVERIFY(found.head == head);
            QVERIFY2(std::abs(found.previous_mass - mass) < 1e-6,
                     std::to_string(found.previous_mass).c_str());
            QCOMPARE(found.best_offset, offset);
            QVERIFY(std::abs(found.best_offset_share - share) < 0.5 / 255);
        };
        check({0, 0}, 0.021444108, 1, 253.0 / 255);
        check({2, 1}, 0.020293656, 0, 232.0 / 255);
        check({4, 1}, 0.020186333, 0, 60.0 / 255);
    }

    void nanHasNoScore() {
        Model model = lookingBack(1, 50.0f);
        keyWeights(model, {0, 0})(0, 0) = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(std::isnan(attentionOf(model).previous_mass));
        QVERIFY(std::isnan(attentionOf(model).best_offset_share));
        // Finite weights whose scores are not are no better.
        Model huge = lookingBack(1, 1e30f);
        addDiagonal(keyWeights(huge, {0, 0}), 0, 0, 1e30f);
        QVERIFY(std::isnan(attentionOf(huge).previous_mass));
        QVERIFY(std::isnan(attentionOf(huge).best_offset_share));
    }

    /// A head that reads nothing of the positions looks where its biases by distance point.
    void biasesByDistanceCount() {
        Model model = lookingBack(0, 0.0f);
        model.spec.relative_buckets = 32;
        QVERIFY(!positionalAttention(foldWeights(model)));
        model.weights.W_rel_pos = Tensor({32, 1});
        model.weights.W_rel_pos.floats()(3, 0) = 50.0f; // keys three back
        QCOMPARE(attentionOf(model).best_offset, Offset{3});
    }

    void notDefinedWithoutLearnedPositions() {
        const auto heads = positionalAttention(foldWeights(loadSample("llama-mini-gqa-4l")));
        QVERIFY(!heads);
        QVERIFY(heads.error().message.find("not defined") != std::string::npos);
    }

    void composedInduction() {
        const auto accuracy = [](const Model& model) {
            const FoldedWeights weights = foldWeights(model);
            return require(kComposedInduction(weights, require(movedTokens(weights, {0, 0})),
                                              {1, 0}, sampleVocabulary(8, 8)));
        };
        // Four of the eight tokens are moved on.
        QCOMPARE(accuracy(inductionPair(0)).top1, 0.5);
        QCOMPARE(accuracy(inductionPair(0)).rows, 8u);
        QCOMPARE(accuracy(inductionPair(1)).top1, 0.0);
        Model broken = inductionPair(0);
        valueWeights(broken, {0, 0})(0, 0) = std::numeric_limits<float>::quiet_NaN();
        QVERIFY(std::isnan(accuracy(broken).top1));
    }

    /// numpy over the whole vocabulary of 4,096.
    void composedInductionOfSampleModels() {
        const VocabularySample all = sampleVocabulary(4096, 4096);
        const FoldedWeights gpt2 = foldWeights(loadSample("gpt2-mini-6l"));
        const MovedTokens first = require(movedTokens(gpt2, {0, 0}));
        const auto plain = require(kComposedInduction(gpt2, first, {3, 5}, all));
        QVERIFY(std::abs(plain.top1 - 0.000732421875) < 1.5 / 4096);
        QVERIFY(std::abs(plain.top5 - 0.003662109375) < 1.5 / 4096);
        const FoldedWeights llama = foldWeights(loadSample("llama-mini-gqa-4l"));
        const MovedTokens of_llama = require(movedTokens(llama, {1, 6}));
        const auto one = require(kComposedInduction(llama, of_llama, {2, 4}, all, 1));
        QVERIFY(std::abs(one.top1 - 0.14306640625) < 1.5 / 4096);
        QVERIFY(std::abs(one.top5 - 0.327880859375) < 1.5 / 4096);
        const auto twenty = require(kComposedInduction(llama, of_llama, {2, 4}, all, 20));
        QVERIFY(std::abs(twenty.top1 - 0.15283203125) < 1.5 / 4096);
        QVERIFY(!kComposedInduction(llama, of_llama, {2, 4}, all));
        QVERIFY(!kComposedInduction(gpt2, first, {0, 5}, all)); // of the same layer
    }

    void stops() {
        std::stop_source source;
        source.request_stop();
        const auto heads =
            positionalAttention(foldWeights(lookingBack(1, 1.0f)), {}, source.get_token());
        QVERIFY(!heads && heads.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestPositional> registration;

} // namespace test_positional

#include "test_positional.moc"
