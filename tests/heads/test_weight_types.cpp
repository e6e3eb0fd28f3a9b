// Types that are read from weights, and copying, on constructed heads.

#include "core/heads/head_type.h"
#include "core/heads/score_heads.h"
#include "core/heads/score_sequences.h"
#include "core/heads/score_table.h"
#include "core/pruning/smaller_model.h"
#include "tests/heads/pattern_run.h"
#include "tests/support/bare_model.h"
#include "tests/support/model_variant.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>
#include <limits>

namespace test_weight_types {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr std::size_t kVocabulary = 24;

/// One layer of heads whose W_OV is the identity times one of `scales`.
std::shared_ptr<const Model> scaledCopies(const std::vector<float>& scales) {
    Model model = bareModel({.n_heads = scales.size(),
                             .n_kv_heads = scales.size(),
                             .d_head = kVocabulary,
                             .d_model = kVocabulary});
    for (std::size_t head = 0; head < scales.size(); ++head) {
        addDiagonal(valueWeights(model, {0, head}), 0, 0);
        addDiagonal(outputWeights(model, {0, head}), 0, 0, scales[head]);
    }
    return std::make_shared<const Model>(std::move(model));
}

HeadScores copyingScoresOf(const std::shared_ptr<const Model>& model) {
    const std::vector sequences(2, InputSequence{repeatedIds(8), true, 8}); // one names no head
    return require(scoreSequences(model, sequences, "a repeat"));
}

bool near(double found, double expected) {
    if (std::abs(found - expected) < 1e-6)
        return true;
    qWarning("found %.9g, expected %.9g", found, expected);
    return false;
}

} // namespace

class TestWeightTypes : public QObject {
    Q_OBJECT

private slots:
    /// Identity: only the token itself rises above the mean logit. Its negative: all others do.
    void copying() {
        const HeadScores scores = copyingScoresOf(scaledCopies({2.0f, -1.0f, 0.0f}));
        const auto of = [&](std::size_t head) { return scores.at(HeadTypeId::Copying, {0, head}); };
        QVERIFY(near(of(0).score, 1.0));
        QVERIFY(near(of(0).variant, 1.0));
        QVERIFY(near(of(0).baseline, 1.0 / 25.0));
        QVERIFY(near(of(1).score, 0.0));
        QVERIFY(near(of(2).score, 0.0));
    }

    /// The token itself rises by 13.5 and each other one by 1.5, however many are drawn.
    void shareDoesNotDependOnTheTokensDrawn() {
        Model model = *scaledCopies({1.0f});
        for (std::size_t row = 0; row < kVocabulary; ++row)
            for (std::size_t col = 1; col <= 20; ++col) // the rest lowers the mean
                outputWeights(model, {0, 0})(row, col) = row == col ? 24.0f : 12.0f;
        const auto copying = std::make_shared<const Model>(std::move(model));
        for (const std::size_t period : {4u, 8u, 11u}) {
            const InputSequence sequence{repeatedIds(period), true, period};
            const HeadScores scores = require(scoreSequences(copying, {&sequence, 1}, "a repeat"));
            QVERIFY(near(scores.at(HeadTypeId::Copying, {0, 0}).score, 13.5 / (13.5 + 24.0 * 1.5)));
        }
    }

    void labelsOfTrainedModelsDoNotDependOnThePeriod_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"attn-only-2l", "gpt2-mini-6l", "llama-mini-gqa-4l"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void labelsOfTrainedModelsDoNotDependOnThePeriod() {
        QFETCH(QString, name);
        const auto model = loadSample(name.toStdString());
        const std::vector asked{HeadTypeId::Copying, HeadTypeId::Positional};
        std::optional<std::vector<std::vector<HeadTypeId>>> expected;
        for (const std::size_t period : {50u, 20u, 100u, 125u}) {
            const auto scores = require(scoreTypes(model, asked, {.period = period}));
            std::vector<std::vector<HeadTypeId>> found;
            for (const LayerHead head : scores.heads)
                found.push_back(labels(scores, head, {}));
            if (!expected)
                expected = found;
            QVERIFY2(found == *expected, std::to_string(period).c_str());
        }
    }

    /// W_O a constant: every token rises alike, but none above the mean.
    void headThatRaisesAllAlikeDoesNotCopy() {
        Model model = *scaledCopies({0.0f});
        for (std::size_t row = 0; row < kVocabulary; ++row)
            for (std::size_t col = 0; col < kVocabulary; ++col)
                outputWeights(model, {0, 0})(row, col) = 1.0f;
        const HeadScores scores = copyingScoresOf(std::make_shared<const Model>(std::move(model)));
        QVERIFY(near(scores.at(HeadTypeId::Copying, {0, 0}).score, 0.0));
    }

    /// What is rounding is told by the sizes of the weights.
    void smallWeightsCopyAsLargeOnes() {
        const HeadScores scores = copyingScoresOf(scaledCopies({1e-12f}));
        QVERIFY(near(scores.at(HeadTypeId::Copying, {0, 0}).score, 1.0));
        QVERIFY(near(scores.at(HeadTypeId::Copying, {0, 0}).variant, 1.0));
    }

    void eigenvalues() {
        const HeadScores scores = require(scoreWeights(scaledCopies({2.0f, -1.0f, 0.0f})));
        const auto of = [&](std::size_t head) {
            return scores.at(HeadTypeId::CopyingWeights, {0, head});
        };
        QVERIFY(near(of(0).score, 1.0));
        QVERIFY(near(of(0).low, 1.0));
        QVERIFY(near(of(0).variant, 1.0));
        QVERIFY(near(of(1).score, -1.0));
        QVERIFY(near(of(1).variant, 0.0));
        QVERIFY(std::isnan(of(2).score));
        for (std::size_t head = 0; head < 3; ++head) // no behaviour was measured
            QVERIFY(labels(scores, {0, head}, {}).empty());
        QCOMPARE(scores.measuredOn(HeadTypeId::CopyingWeights).input, std::string("the weights"));
    }

    /// What weights say becomes a label where the behaviour is one; the user may move either.
    void labelsNeedTheBehaviour() {
        const auto model = scaledCopies({2.0f, -1.0f});
        HeadScores scores = copyingScoresOf(model);
        scores.take(HeadTypeId::CopyingWeights, require(scoreWeights(model)));
        Thresholds thresholds;
        const auto has = [&](std::size_t head, HeadTypeId id) {
            return std::ranges::count(labels(scores, {0, head}, thresholds), id) == 1;
        };
        QVERIFY(has(0, HeadTypeId::Copying) && has(0, HeadTypeId::CopyingWeights));
        QVERIFY(!has(1, HeadTypeId::Copying) && !has(1, HeadTypeId::CopyingWeights));
        thresholds.set(HeadTypeId::Copying, 1.1);
        QVERIFY(!has(0, HeadTypeId::CopyingWeights));
        thresholds.set(HeadTypeId::Copying, 0.235);
        thresholds.set(HeadTypeId::CopyingWeights, 1.1);
        QVERIFY(has(0, HeadTypeId::Copying) && !has(0, HeadTypeId::CopyingWeights));
    }

    void everyTypeOfWeightsHasItsBehaviour() {
        for (const HeadType& type : headTypes())
            QVERIFY(type.from_weights == nullptr || type.together_with.has_value());
        QVERIFY(headType(HeadTypeId::CopySuppression).together_with == HeadTypeId::Induction);
        QVERIFY(headType(HeadTypeId::PreviousWeights).together_with == HeadTypeId::Previous);
        QVERIFY(headType(HeadTypeId::InductionWeights).together_with == HeadTypeId::Induction);
    }

    void nanWeightsHaveNoType() {
        Model model = *scaledCopies({1.0f, 1.0f});
        outputWeights(model, {0, 0})(0, 0) = std::numeric_limits<float>::quiet_NaN();
        const HeadScores scores = require(scoreWeights(std::make_shared<const Model>(model)));
        QVERIFY(std::isnan(scores.at(HeadTypeId::CopyingWeights, {0, 0}).score));
        QVERIFY(near(scores.at(HeadTypeId::CopyingWeights, {0, 1}).score, 1.0));
    }

    /// Positions are the second half of the stream. Head 0.0 matches each with the one before it
    /// and moves the token to the third part; 1.0 looks for its own token there.
    void previousAndInduction() {
        constexpr std::size_t kTokens = 8;
        Model model = bareModel({.n_layers = 2, .d_head = kTokens, .d_model = 3 * kTokens});
        model.spec.d_vocab = kTokens;
        model.spec.n_ctx = kTokens;
        model.weights.W_E = Tensor({kTokens, 3 * kTokens});
        addDiagonal(model.weights.W_E.floats().matrix(), 0, 0);
        model.weights.W_U = model.weights.W_E;
        model.weights.W_pos = Tensor({kTokens, 3 * kTokens});
        addDiagonal(model.weights.W_pos.floats().matrix(), 0, kTokens);
        // Query q is position q, key k is position k + 1.
        addDiagonal(queryWeights(model, {0, 0}), kTokens, 0, 50.0f);
        addDiagonal(keyWeights(model, {0, 0}), kTokens, 1);
        addDiagonal(valueWeights(model, {0, 0}), 0, 0);
        addDiagonal(outputWeights(model, {0, 0}), 0, 2 * kTokens);
        addDiagonal(queryWeights(model, {1, 0}), 0, 0);
        addDiagonal(keyWeights(model, {1, 0}), 2 * kTokens, 0);
        const HeadScores scores = require(scoreWeights(std::make_shared<const Model>(model)));
        QVERIFY(near(scores.at(HeadTypeId::PreviousWeights, {0, 0}).score, 1.0));
        QVERIFY(scores.at(HeadTypeId::PreviousWeights, {1, 0}).score < 0.3);
        QVERIFY(near(scores.at(HeadTypeId::InductionWeights, {1, 0}).score, 1.0));
        QVERIFY(near(scores.at(HeadTypeId::InductionWeights, {1, 0}).baseline,
                     1.0 / static_cast<double>(kTokens)));
        QVERIFY(std::isnan(scores.at(HeadTypeId::InductionWeights, {0, 0}).score));
    }

    /// The better previous-token head of an earlier layer counts. 0.0 moves the token to the third
    /// part of the stream, and 1.0, which looks back more sharply, to the fourth.
    void eachLayerReadsTheBestHeadBefore() {
        constexpr std::size_t kTokens = 8;
        Model model = bareModel({.n_layers = 3,
                                 .n_heads = 2,
                                 .n_kv_heads = 2,
                                 .d_head = kTokens,
                                 .d_model = 4 * kTokens});
        model.spec.d_vocab = kTokens;
        model.spec.n_ctx = kTokens;
        model.weights.W_E = Tensor({kTokens, 4 * kTokens});
        addDiagonal(model.weights.W_E.floats().matrix(), 0, 0);
        model.weights.W_U = model.weights.W_E;
        model.weights.W_pos = Tensor({kTokens, 4 * kTokens});
        addDiagonal(model.weights.W_pos.floats().matrix(), 0, kTokens);
        const auto looksBack = [&](LayerHead head, float sharpness, std::size_t part) {
            addDiagonal(queryWeights(model, head), kTokens, 0, sharpness);
            addDiagonal(keyWeights(model, head), kTokens, 1);
            addDiagonal(valueWeights(model, head), 0, 0);
            addDiagonal(outputWeights(model, head), 0, part * kTokens);
        };
        const auto looksIn = [&](LayerHead head, std::size_t part) {
            addDiagonal(queryWeights(model, head), 0, 0);
            addDiagonal(keyWeights(model, head), part * kTokens, 0);
        };
        looksBack({0, 0}, 10.0f, 2);
        looksBack({1, 0}, 50.0f, 3);
        looksIn({1, 1}, 2);
        looksIn({2, 0}, 3);
        looksIn({2, 1}, 2);
        const HeadScores scores = require(scoreWeights(std::make_shared<const Model>(model)));
        const auto induction = [&](LayerHead head) {
            return scores.at(HeadTypeId::InductionWeights, head).score;
        };
        QVERIFY(near(induction({1, 1}), 1.0));
        QVERIFY(near(induction({2, 0}), 1.0));
        QVERIFY(near(induction({2, 1}), 1.0)); // what the less sharp one of the two moves
    }

    void rotaryPositionsAreNotReadAlone() {
        const HeadScores scores = require(scoreWeights(loadSample("llama-mini-gqa-4l")));
        QVERIFY(scores.has(HeadTypeId::CopyingWeights));
        QVERIFY(!scores.has(HeadTypeId::PreviousWeights));
        QVERIFY(!scores.has(HeadTypeId::InductionWeights));
    }

    /// Post-norm and a layer before W_U: its weights alone say too little.
    void weightsThatCannotBeFoldedAreNotRead() {
        QVERIFY(require(scoreWeights(loadSample("bert-mini-4l"))).types.empty());
    }

    /// Each is measured where its tensors are there; of others it is told why not.
    void typesOfFilesThatCannotRun() {
        using enum HeadTypeId;
        const auto without_wte = without("gpt2", "wte.weight").loaded();
        const HeadScores scores = require(scoreHeads(without_wte));
        const HeadScores whole = require(scoreWeights(loadUnchanged("gpt2")));
        QCOMPARE(scores.types, std::vector{PreviousWeights});
        for (const LayerHead head : scores.heads)
            QCOMPARE(scores.at(PreviousWeights, head).score, whole.at(PreviousWeights, head).score);
        QCOMPARE(scores.unread.at(Induction), without_wte->spec.cannot_run);
        QCOMPARE(scores.unread.at(CopyingWeights),
                 "This model has no embedding and no unembedding, so its heads have no full OV "
                 "circuit.");
        QVERIFY(scoreGrid(scores, {}, {})
                    .caption.find("not measured: copying-weights: " +
                                  scores.unread.at(CopyingWeights)) != std::string::npos);

        const HeadScores without_wpe = require(scoreHeads(without("gpt2", "wpe.weight").loaded()));
        QCOMPARE(without_wpe.types, std::vector{CopyingWeights});
        QVERIFY(without_wpe.unread.at(PreviousWeights).ends_with("lacks the learned positions."));

        const HeadScores of_two = require(scoreHeads(without("gpt2", "h.0.attn.").loaded()));
        QCOMPARE(of_two.types, (std::vector{CopyingWeights, PreviousWeights}));
        QVERIFY(of_two.unread.at(InductionWeights)
                    .ends_with("because the attention of layer 0 is not in the file."));
        for (const LayerHead head : of_two.heads)
            QCOMPARE(of_two.at(PreviousWeights, head).score, whole.at(PreviousWeights, head).score);

        const auto unfolded = without("gpt2", "ln_1.weight").loaded();
        QCOMPARE(scoreHeads(unfolded).error().message, unfolded->spec.cannot_run);
    }

    /// Where no earlier layer has heads, nothing can feed the keys of an induction head.
    void firstLayerWithoutHeads() {
        const auto whole = loadSample("attn-only-2l");
        Cut cut;
        for (std::size_t head = 0; head < whole->spec.n_heads; ++head)
            cut.removed.push_back({0, head});
        const auto model = require(smallerModel(*whole, cut));
        const HeadScores scores = require(scoreWeights(model));
        QVERIFY(scores.has(HeadTypeId::InductionWeights));
        QVERIFY(std::isnan(scores.at(HeadTypeId::InductionWeights, {1, 0}).score));
        const Table grid = scoreGrid(scores, {}, {});
        QCOMPARE(grid.rows.size(), scores.heads.size() + 2); // baselines and thresholds in front
    }

    void stops() {
        std::stop_source stop;
        stop.request_stop();
        const auto scores = scoreWeights(loadSample("attn-only-2l"), {}, stop.get_token());
        QVERIFY(!scores);
        QCOMPARE(scores.error().code, ErrorCode::Cancelled);
    }

    /// Each part has the types that are there so far, in display order; the last has all.
    void scoresArriveInParts() {
        std::vector<HeadScores> parts;
        const auto scores =
            require(scoreHeads(loadSample("attn-only-2l"), {.sequences = 2}, {}, {},
                               [&](const HeadScores& part) { parts.push_back(part); }));
        QCOMPARE(parts.size(), 7u); // one for each kind of input
        QVERIFY(parts.front().has(HeadTypeId::Induction));
        QVERIFY(!parts.front().has(HeadTypeId::CopyingWeights));
        for (const HeadScores& part : parts) {
            QVERIFY(std::ranges::is_sorted(part.types));
            QCOMPARE(part.scores.size(), part.types.size() * part.heads.size());
            for (const HeadTypeId id : part.types)
                QCOMPARE(part.at(id, {1, 2}).type, id);
        }
        QVERIFY(parts.back().types == scores.types);
        QVERIFY(scores.has(HeadTypeId::InductionWeights));
    }
};

const headscope::test::TestRegistration<TestWeightTypes> registration;

} // namespace test_weight_types

#include "test_weight_types.moc"
