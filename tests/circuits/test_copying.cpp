#include "core/circuits/copying.h"
#include "tests/support/bare_model.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace test_copying {

using namespace headscope;
using namespace headscope::test;

namespace {

constexpr LayerHead kHead{0, 0};

/// One head whose W_OV acts on the first two of eight dimensions as the given matrix.
Model headOnTwoDimensions(float a, float b, float c, float d) {
    Model model = bareModel({.d_model = 8});
    const MutableMatrixView W_V = valueWeights(model, kHead);
    W_V(0, 0) = a;
    W_V(0, 1) = b;
    W_V(1, 0) = c;
    W_V(1, 1) = d;
    addDiagonal(outputWeights(model, kHead), 0, 0);
    return model;
}

HeadCopying copyingOf(const Model& model) {
    return require(copyingScores(foldWeights(model))).front();
}

MatchAccuracy accuracyOf(const Model& model, const std::vector<LayerHead>& heads) {
    const VocabularySample all = sampleVocabulary(model.spec.d_vocab, model.spec.d_vocab);
    return require(ovCopyingAccuracy(foldWeights(model), heads, all));
}

} // namespace

class TestCopying : public QObject {
    Q_OBJECT

private slots:
    void constructedHeads_data() {
        QTest::addColumn<double>("angle");
        QTest::addColumn<double>("scale");
        QTest::addColumn<double>("score");
        QTest::newRow("identity") << 0.0 << 1.0 << 1.0;
        QTest::newRow("its negative") << 0.0 << -3.0 << -1.0;
        for (const int degrees : {30, 60, 90, 135}) {
            const double angle = degrees * std::numbers::pi / 180.0;
            QTest::addRow("turn by %d degrees", degrees) << angle << 2.0 << std::cos(angle);
        }
    }
    void constructedHeads() {
        QFETCH(double, angle);
        QFETCH(double, scale);
        QFETCH(double, score);
        const auto cosine = static_cast<float>(scale * std::cos(angle));
        const auto sine = static_cast<float>(scale * std::sin(angle));
        const HeadCopying copying = copyingOf(headOnTwoDimensions(cosine, sine, -sine, cosine));
        QCOMPARE(copying.eigenvalues.size(), 2u);
        for (const auto lambda : copying.eigenvalues)
            QVERIFY(std::abs(std::abs(lambda) - std::abs(scale)) < 1e-6);
        QVERIFY2(std::abs(copying.score - score) < 1e-6, std::to_string(copying.score).c_str());
    }

    /// Eigenvalues of a triangle: 3 and −1.
    void signsOffset() {
        const HeadCopying copying = copyingOf(headOnTwoDimensions(3, 7, 0, -1));
        QVERIFY(std::abs(copying.score - 0.5) < 1e-6);
    }

    void silentHeadsHaveNoScore() {
        QVERIFY(std::isnan(copyingOf(headOnTwoDimensions(0, 0, 0, 0)).score));
    }

    /// 0.1 + 0.2 − 0.3 is 0, and not in float32.
    void roundingHasNoScore() {
        Model model = bareModel({.d_model = 8});
        const float written[] = {0.1f, 0.2f, 0.3f};
        for (std::size_t i = 0; i < 3; ++i) {
            outputWeights(model, kHead)(0, i) = written[i];
            valueWeights(model, kHead)(i, 0) = i == 2 ? -1.0f : 1.0f;
        }
        QVERIFY(std::isnan(copyingOf(model).score));
        valueWeights(model, kHead)(2, 0) = 0.0f;
        QCOMPARE(copyingOf(model).score, 1.0);
    }

    void nanHasNoScore() {
        Model model = bareModel({.n_layers = 2, .d_model = 8});
        for (const std::size_t layer : {0U, 1U}) {
            addDiagonal(valueWeights(model, {layer, 0}), 0, 0);
            addDiagonal(outputWeights(model, {layer, 0}), 0, 0);
        }
        valueWeights(model, {0, 0})(1, 1) = std::numeric_limits<float>::quiet_NaN();
        const auto heads = require(copyingScores(foldWeights(model)));
        QVERIFY(heads[0].eigenvalues.empty());
        QVERIFY(std::isnan(heads[0].score));
        QVERIFY(std::abs(heads[1].score - 1.0) < 1e-6);
        QVERIFY(std::isnan(accuracyOf(model, {{0, 0}}).top1));
    }

    /// numpy.linalg.eigvals in float64; 4.1, 0.0 and 2.1 also by TransformerLens 4.0.
    void sampleModels_data() {
        QTest::addColumn<std::string>("name");
        QTest::addColumn<int>("layer");
        QTest::addColumn<int>("head");
        QTest::addColumn<double>("score");
        const std::string gpt2 = "gpt2-mini-6l";
        const std::string llama = "llama-mini-gqa-4l";
        QTest::newRow("gpt2 0.0") << gpt2 << 0 << 0 << 0.5409960;
        QTest::newRow("gpt2 0.6") << gpt2 << 0 << 6 << 0.9210401;
        QTest::newRow("gpt2 2.1") << gpt2 << 2 << 1 << -0.9972161;
        QTest::newRow("gpt2 4.1") << gpt2 << 4 << 1 << -0.3564899;
        QTest::newRow("gpt2 5.7") << gpt2 << 5 << 7 << -0.6029002;
        QTest::newRow("llama 0.0") << llama << 0 << 0 << -0.1052272;
        QTest::newRow("llama 2.4") << llama << 2 << 4 << 0.5249890;
        QTest::newRow("llama 2.7") << llama << 2 << 7 << 0.3948605;
        QTest::newRow("llama 3.5") << llama << 3 << 5 << 0.3324404;
    }
    void sampleModels() {
        QFETCH(std::string, name);
        QFETCH(int, layer);
        QFETCH(int, head);
        QFETCH(double, score);
        const auto model = loadSample(name);
        const auto heads = require(copyingScores(foldWeights(model)));
        QCOMPARE(heads.size(), model->spec.n_layers * model->spec.n_heads);
        const LayerHead id{static_cast<std::size_t>(layer), static_cast<std::size_t>(head)};
        const HeadCopying& copying = heads[id.layer * model->spec.n_heads + id.head];
        QVERIFY(copying.head == id);
        QCOMPARE(copying.eigenvalues.size(), model->spec.d_head);
        QVERIFY2(std::abs(copying.score - score) < 2e-5, std::to_string(copying.score).c_str());
    }

    void eigenvaluesOfASampleHead() {
        const auto heads = require(copyingScores(foldWeights(loadSample("gpt2-mini-6l"))));
        const HeadCopying& copying = heads[4 * 8 + 1];
        const auto largest = std::ranges::max(
            copying.eigenvalues, {}, [](std::complex<double> lambda) { return std::abs(lambda); });
        QVERIFY(std::abs(largest - std::complex<double>(-243.3265249, 0.0)) < 2e-3);
    }

    void accuracyOfConstructedHeads() {
        // Rows 0 and 1 find themselves; the others are zeros, which match nothing.
        const MatchAccuracy found = accuracyOf(headOnTwoDimensions(1, 0, 0, 1), {kHead});
        QCOMPARE(found.rows, 8u);
        QCOMPARE(found.top1, 0.25);
        QCOMPARE(found.top5, 0.25);
        // Their own column is the lowest of eight.
        QCOMPARE(accuracyOf(headOnTwoDimensions(-1, 0, 0, -1), {kHead}).top5, 0.0);
        // Each row prefers the other one, and itself next.
        const MatchAccuracy second = accuracyOf(headOnTwoDimensions(1, 2, 2, 1), {kHead});
        QCOMPARE(second.top1, 0.0);
        QCOMPARE(second.top5, 0.25);
    }

    void headsAddUp() {
        Model model = bareModel({.n_heads = 2, .n_kv_heads = 2, .d_head = 4, .d_model = 8});
        for (const std::size_t head : {0U, 1U}) {
            addDiagonal(valueWeights(model, {0, head}), 4 * head, 0);
            addDiagonal(outputWeights(model, {0, head}), 0, 4 * head);
        }
        QCOMPARE(accuracyOf(model, {{0, 0}}).top1, 0.5);
        QCOMPARE(accuracyOf(model, {{0, 0}, {0, 1}}).top1, 1.0);
    }

    /// numpy over the whole vocabulary of 4,096.
    void accuracyOfASampleHead() {
        const MatchAccuracy found = accuracyOf(*loadSample("gpt2-mini-6l"), {{0, 3}});
        QCOMPARE(found.rows, 4096u);
        QVERIFY(std::abs(found.top1 - 4.0 / 4096) < 1e-9);
        QVERIFY(std::abs(found.top5 - 30.0 / 4096) < 1e-9);
    }

    /// The highest scores first, a silent head last, each with the accuracy of that head alone.
    void measuredByBoth() {
        Model model = bareModel({.n_heads = 3, .n_kv_heads = 3, .d_head = 4, .d_model = 8});
        for (const std::size_t head : {1U, 2U}) {
            addDiagonal(valueWeights(model, {0, head}), 0, 0);
            addDiagonal(outputWeights(model, {0, head}), 0, 0, head == 1 ? -1.0f : 1.0f);
        }
        const FoldedWeights folded = foldWeights(model);
        const MeasuredCopying all = require(measureCopying(folded, 9));
        QCOMPARE(all.heads.size(), 3u);
        QCOMPARE(all.heads[0].head.head, 2u);
        QCOMPARE(all.heads[1].head.head, 1u);
        QVERIFY(std::isnan(all.heads[2].score));
        QCOMPARE(all.accuracies[0].top1, 0.5);
        QCOMPARE(all.accuracies[1].top1, 0.0);
        QCOMPARE(require(measureCopying(folded, 1)).accuracies.size(), 1u);
    }

    void samplesAreDrawnOnce() {
        const VocabularySample sample = sampleVocabulary(1000, 100, 7);
        QCOMPARE(sample.rows.size(), 100u);
        QCOMPARE(std::set(sample.rows.begin(), sample.rows.end()).size(), 100u);
        QVERIFY(std::ranges::is_sorted(sample.rows));
        QVERIFY(sample.rows.back() < 1000);
        QVERIFY(sampleVocabulary(1000, 100, 7).rows == sample.rows);
        QVERIFY(sampleVocabulary(1000, 100, 8).rows != sample.rows);
        QCOMPARE(sampleVocabulary(10, 100).rows.size(), 10u);
    }

    void modelsWithoutLogitsAreRefused() {
        const FoldedWeights folded = foldWeights(loadSample("notebook"));
        const auto scores = copyingScores(folded);
        QVERIFY(!scores);
        QCOMPARE(scores.error().message,
                 std::string("This model has no unembedding, so its heads have no full OV "
                             "circuit."));
        const std::vector<LayerHead> heads{kHead};
        QVERIFY(!ovCopyingAccuracy(folded, heads, sampleVocabulary(4, 4)));
    }

    void stops() {
        std::stop_source source;
        source.request_stop();
        const FoldedWeights folded = foldWeights(headOnTwoDimensions(1, 0, 0, 1));
        const auto scores = copyingScores(folded, {}, source.get_token());
        QVERIFY(!scores && scores.error().code == ErrorCode::Cancelled);
        const std::vector<LayerHead> heads{kHead};
        const auto accuracy =
            ovCopyingAccuracy(folded, heads, sampleVocabulary(8, 8), source.get_token());
        QVERIFY(!accuracy && accuracy.error().code == ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestCopying> registration;

} // namespace test_copying

#include "test_copying.moc"
