#include "core/circuits/copying.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <limits>
#include <memory>

namespace test_copied_rank {

using namespace headscope;
using namespace headscope::test;

namespace {

const TokenIds kIds{1, 2, 3};

/// Head 0 of every layer writes `scale` times the token it reads, head 1 nothing.
Model copyingModel(std::size_t n_layers, float scale) {
    Model model =
        bareModel({.n_layers = n_layers, .n_heads = 2, .n_kv_heads = 2, .d_head = 8, .d_model = 8});
    for (std::size_t layer = 0; layer < n_layers; ++layer) {
        addDiagonal(valueWeights(model, {layer, 0}), 0, 0);
        addDiagonal(outputWeights(model, {layer, 0}), 0, 0, scale);
    }
    return model;
}

PerHead<CopiedRank> ranksIn(Model model) {
    return require(copiedRanks(std::make_shared<const Model>(std::move(model)), kIds, 2));
}

} // namespace

class TestCopiedRank : public QObject {
    Q_OBJECT

private slots:
    void copyingHeadPutsTheTokenFirst() {
        const auto ranks = ranksIn(copyingModel(3, 2.0f));
        QCOMPARE(ranks.size(), 6u);
        for (std::size_t layer = 0; layer < 3; ++layer) {
            QCOMPARE(ranks.values()[2 * layer].written, 1u);
            QCOMPARE(ranks.values()[2 * layer].negated, 8u);
        }
    }

    void headThatSpeaksAgainstPutsItLast() {
        // One layer: later ones would read what the first one took away.
        const auto ranks = ranksIn(copyingModel(1, -2.0f));
        QCOMPARE(ranks.values()[0].written, 8u);
        QCOMPARE(ranks.values()[0].negated, 1u);
    }

    void headThatWritesNothingIsLast() {
        const auto ranks = ranksIn(copyingModel(1, 2.0f));
        QCOMPARE(ranks.values()[1].written, 8u);
        QCOMPARE(ranks.values()[1].negated, 8u);
    }

    /// Head 0.0 attends evenly, takes all three tokens out of the stream and puts others in their
    /// place, which heads of later layers then copy.
    void laterLayersReadWhatTheFirstBlockLeft() {
        Model model = copyingModel(3, 1.0f);
        const MutableMatrixView W_O = outputWeights(model, {0, 0});
        addDiagonal(W_O, 0, 0, -4.0f); // 1 − 4 · 1/3 · 3
        addDiagonal(W_O, 0, 4, 3.0f);
        const auto ranks = ranksIn(model);
        QVERIFY(ranks.values()[2].written > 1u);
        QCOMPARE(ranks.values()[4].written,
                 ranks.values()[2].written); // layer 2 reads the same as layer 1
    }

    void whatIsNotFiniteFails() {
        Model model = copyingModel(1, 1.0f);
        outputWeights(model, {0, 0})(0, 0) = std::numeric_limits<float>::quiet_NaN();
        const auto ranks = copiedRanks(std::make_shared<const Model>(std::move(model)), kIds, 2);
        QVERIFY(!ranks);
        QVERIFY(ranks.error().message.find("not finite") != std::string::npos);
    }

    void failsWithoutLogits() {
        Model model = copyingModel(1, 1.0f);
        model.spec.output = OutputHead::None;
        model.weights.W_U = {};
        QVERIFY(!copiedRanks(std::make_shared<const Model>(std::move(model)), kIds, 2));
    }

    /// numpy in float64: ids 0 100 200 … 600, position 3. Heads 4.1 and 4.2 are induction heads.
    void sampleModel() {
        const auto ranks =
            require(copiedRanks(loadSample("gpt2-mini-6l"), {0, 100, 200, 300, 400, 500, 600}, 3));
        const auto check = [&](std::size_t layer, std::size_t head, std::size_t written,
                               std::size_t negated) {
            const CopiedRank& found = ranks[{layer, head}];
            // Logits that nearly tie may change places in float32.
            const auto near = [](std::size_t a, std::size_t b) {
                return std::max(a, b) - std::min(a, b) <= 2;
            };
            QVERIFY2(near(found.written, written), std::to_string(found.written).c_str());
            QVERIFY2(near(found.negated, negated), std::to_string(found.negated).c_str());
        };
        check(0, 0, 114, 3707);
        check(0, 6, 84, 3832);
        check(2, 0, 4058, 9);
        check(3, 5, 1, 4096);
        check(4, 1, 1, 4096);
        check(4, 2, 1, 4096);
        check(4, 7, 2619, 853);
        check(5, 0, 39, 3991);
        QCOMPARE(ranks.values()[4 * 8 + 1].written, 1u);
    }
};

const headscope::test::TestRegistration<TestCopiedRank> registration;

} // namespace test_copied_rank

#include "test_copied_rank.moc"
