#include "core/engine/loss.h"
#include "tests/support/runner.h"

#include <QTest>

#include <array>
#include <cmath>

namespace test_loss {

using namespace headscope;

namespace {

Tensor logitsOf(const Shape& shape, const std::vector<float>& values) {
    Tensor logits(shape);
    std::copy(values.begin(), values.end(), logits.data());
    return logits;
}

} // namespace

class TestLoss : public QObject {
    Q_OBJECT

private slots:
    void knownValues() {
        // Row 0: p = 1/4, 1/2, 1/4; row 1: uniform; the last row predicts nothing known.
        const float half = std::log(2.0f);
        const Tensor logits = logitsOf({3, 3}, {0, half, 0, 5, 5, 5, 9, 9, 9});
        const TokenIds ids{2, 1, 0};
        const auto losses = nextTokenLosses(logits, ids);
        QCOMPARE(losses.size(), std::size_t{2});
        QVERIFY(std::abs(losses[0] - std::log(2.0)) < 1e-7);
        QVERIFY(std::abs(losses[1] - std::log(3.0)) < 1e-12);
        QVERIFY(std::abs(*meanNextTokenLoss(logits, ids) - (losses[0] + losses[1]) / 2) < 1e-12);
    }

    void largeLogitsNeitherOverflowNorVanish() {
        const Tensor logits = logitsOf({2, 2}, {1000, 0, 0, 0});
        QCOMPARE(nextTokenLosses(logits, TokenIds{0, 1})[0], 1000.0);
        QCOMPARE(nextTokenLosses(logits, TokenIds{0, 0})[0], 0.0);
    }

    void oneTokenHasNoLoss() {
        const Tensor logits({1, 4});
        QVERIFY(nextTokenLosses(logits, TokenIds{0}).empty());
        QVERIFY(!meanNextTokenLoss(logits, TokenIds{0}));
    }

    void bestPredictionsFirst() {
        const Tensor logits = logitsOf({2, 4}, {9, 9, 9, 9, 1, 3, 1, 2});
        const auto best = topPredictions(logits, 1, 3);
        QCOMPARE(best.size(), std::size_t{3});
        QCOMPARE(best[0].id, 1);
        QCOMPARE(best[1].id, 3);
        QCOMPARE(best[2].id, 0); // as probable as 2: the lower id
        QCOMPARE(best[0].logit, 3.0f);
        const double sum = std::exp(1.0) + std::exp(3.0) + std::exp(1.0) + std::exp(2.0);
        QVERIFY(std::abs(best[0].probability - std::exp(3.0) / sum) < 1e-6);
    }

    void predictionsAreAtTheLastTokenOrTheFirstMask() {
        ModelSpec spec;
        spec.d_vocab = 9;
        const TokenIds ids{3, 7, 7, 2};
        QCOMPARE(predictedPosition(spec, ids), std::optional<std::size_t>(3));
        spec.causal = false;
        QCOMPARE(predictedPosition(spec, ids), std::nullopt);
        spec.mask_token = 7;
        QCOMPARE(predictedPosition(spec, ids), std::optional<std::size_t>(1));
        QCOMPARE(predictedPosition(spec, TokenIds{3, 2}), std::nullopt);
        spec.d_vocab_out = 2;
        QCOMPARE(predictedPosition(spec, ids), std::optional<std::size_t>(0));
    }

    /// In any order, as they come from several threads.
    void aReaderTakesWhatTheWholeLogitsSay() {
        const Tensor logits = logitsOf({3, 3}, {0, 1, 2, 5, 3, 4, 1, 9, 7});
        const TokenIds ids{2, 1, 0};
        ModelSpec spec;
        spec.d_vocab = 3;
        LogitReader reader(spec, ids, 2);
        for (const std::size_t position : {2u, 0u, 1u})
            reader.read(position, {logits.matrix().row(position), 3});
        QCOMPARE(reader.losses(), nextTokenLosses(logits, ids));
        QCOMPARE(reader.predictedAt(), std::optional<std::size_t>(2));
        QCOMPARE(reader.predictions().size(), std::size_t{2});
        QCOMPARE(reader.predictions()[0].id, 1);
        QCOMPARE(reader.predictions()[1].id, 2);
        QCOMPARE(reader.predicting(), (std::vector{1.0f, 9.0f, 7.0f}));
        const std::array known{0.25};
        LogitReader later(spec, ids, 1);
        later.know(known);
        QCOMPARE(later.losses()[0], 0.25);
    }

    void askingForMoreThanTheVocabulary() {
        const auto all = topPredictions(Tensor({1, 4}), 0, 10);
        QCOMPARE(all.size(), std::size_t{4});
        double sum = 0.0;
        for (const Prediction& prediction : all)
            sum += prediction.probability;
        QVERIFY(std::abs(sum - 1.0) < 1e-12);
    }
};

const headscope::test::TestRegistration<TestLoss> registration;

} // namespace test_loss

#include "test_loss.moc"
