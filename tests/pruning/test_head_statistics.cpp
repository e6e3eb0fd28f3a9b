// What one pass over a text gathers, against plain sums over captured values.

#include "core/pruning/measure/head_statistics.h"
#include "core/pruning/scores/order_scores.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_head_statistics {

using namespace headscope;
using namespace headscope::test;

class TestHeadStatistics : public QObject {
    Q_OBJECT

private slots:
    void momentsArePlainSums();
    void everyFourthPassageIsHeldOut();
    void outputNormsAreThoseOfResults();
    void scoresAreTheirFormulas();
    void roundingIsNoFluctuation();
};

void TestHeadStatistics::momentsArePlainSums() {
    for (const char* name : {"gpt2", "llama-gqa", "bert"}) {
        const auto model = predictingFixture(name);
        const PassageSet text = randomPassages(*model, 6, 12, 1);
        const HeadStatistics statistics = require(headStatistics(model, text));
        for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer) {
            const auto rows = rowsOfZ(model, text, layer);
            const HeadMoments all = statistics.all(layer);
            QCOMPARE(all.positions, rows.size());
            const auto mean = all.mean();
            const DoubleMatrix covariance = all.momentsAbout(mean);
            const auto count = static_cast<double>(rows.size());
            for (std::size_t a = 0; a < mean.size(); a += 5) {
                double sum = 0.0;
                for (const auto& row : rows)
                    sum += row[a];
                QVERIFY(std::abs(mean[a] - sum / count) < 1e-5);
                for (std::size_t b = 0; b < mean.size(); b += 3) {
                    double product = 0.0;
                    for (const auto& row : rows)
                        product += (row[a] - mean[a]) * (row[b] - mean[b]);
                    QVERIFY(std::abs(covariance(a, b) - product / count) < 1e-5);
                }
            }
        }
    }
}

void TestHeadStatistics::everyFourthPassageIsHeldOut() {
    const auto model = loadFixture("gpt2");
    const PassageSet text = randomPassages(*model, 9, 12, 1);
    const HeadStatistics statistics = require(headStatistics(model, text));
    const std::size_t length = text.passages.front().ids.size();
    QCOMPARE(statistics.held_out[0].positions, 2 * length);
    QCOMPARE(statistics.fitted[0].positions, 7 * length);
    PassageSet fourth = text;
    fourth.passages = {text.passages[3], text.passages[7]};
    const auto rows = rowsOfZ(model, fourth, 1);
    double sum = 0.0;
    for (const auto& row : rows)
        sum += row[2];
    QVERIFY(std::abs(statistics.held_out[1].sum[2] - sum) < 1e-5);
}

void TestHeadStatistics::outputNormsAreThoseOfResults() {
    const auto model = loadFixture("llama-gqa");
    const PassageSet text = randomPassages(*model, 2, 12, 1);
    const HeadStatistics statistics = require(headStatistics(model, text));
    for (const LayerHead head : model->spec.allHeads()) {
        double sum = 0.0;
        std::size_t positions = 0;
        for (const Passage& passage : text.passages) {
            HookSet hooks;
            hooks.capture(HookPoint{HookKind::Result, head.layer});
            const auto run = require(runModel(model, passage.ids, {}, hooks));
            const Tensor& result = run->captured.at({HookKind::Result, head.layer});
            for (std::size_t t = 0; t < result.dim(0); ++t) {
                double square = 0.0;
                for (std::size_t i = 0; i < result.dim(2); ++i)
                    square += std::pow(double{result(t, head.head, i)}, 2);
                sum += std::sqrt(square);
                ++positions;
            }
        }
        const double expected = sum / static_cast<double>(positions);
        QVERIFY(std::abs(statistics.output_norm[head] / expected - 1.0) < 1e-4);
    }
}

/// Wanda, fluctuation and weight norm of one head, spelled out; reconstruction by least squares
/// with Gaussian elimination replaced by what it means: no other map leaves less.
void TestHeadStatistics::scoresAreTheirFormulas() {
    const auto model = loadFixture("llama-gqa");
    const ModelSpec& spec = model->spec;
    const PassageSet text = randomPassages(*model, 6, 12, 1);
    const HeadStatistics statistics = require(headStatistics(model, text));
    const auto rows = rowsOfZ(model, text, 1);
    const auto mean = statistics.all(1).mean();
    const Tensor W_O = model->weights.layers[1].attn.W_O.widened();
    std::vector<double> wanda(spec.n_heads);
    std::vector<double> flap(spec.n_heads);
    for (std::size_t d = 0; d < spec.queryWidth(); ++d) {
        double square = 0.0;
        double variance = 0.0;
        for (const auto& row : rows) {
            square += row[d] * row[d];
            variance += (row[d] - mean[d]) * (row[d] - mean[d]) / static_cast<double>(rows.size());
        }
        for (std::size_t i = 0; i < spec.d_model; ++i) {
            wanda[d / spec.d_head] += std::sqrt(square) * std::abs(double{W_O(d, i)});
            flap[d / spec.d_head] += variance * double{W_O(d, i)} * double{W_O(d, i)};
        }
    }
    const auto check = [&](const PerHead<double>& found, std::vector<double> expected) {
        double sum = 0.0;
        for (const double value : expected)
            sum += value / static_cast<double>(spec.n_heads);
        for (std::size_t head = 0; head < spec.n_heads; ++head)
            QVERIFY(std::abs(found[{1, head}] / (expected[head] / sum) - 1.0) < 1e-4);
    };
    check(weightsTimesInputs(*model, statistics), wanda);
    check(fluctuations(*model, statistics), flap);

    const PerHead<double> norms = weightNorms(*model);
    const std::size_t first = spec.queryWidth() + spec.keyWidth();
    const std::size_t kv_head = spec.kvPlace({1, 3});
    double square = 0.0;
    for (std::size_t r = 0; r < spec.d_model; ++r)
        for (std::size_t c = 0; c < spec.d_model; ++c) {
            double sum = 0.0;
            for (std::size_t d = 0; d < spec.d_head; ++d)
                sum += double{model->weights.layers[1].attn.W_QKV(r, first + kv_head * spec.d_head +
                                                                         d)} *
                       W_O(3 * spec.d_head + d, c);
            square += sum * sum;
        }
    QVERIFY(std::abs(norms[{1, 3}] / std::sqrt(square) - 1.0) < 1e-6);

    for (const double error : reconstructionErrors(*model, statistics))
        QVERIFY(error >= 0.0 && error < 10.0);
}

/// All heads of a layer and one of another add the same everywhere but for rounding: they do not
/// fluctuate, nothing is left to reconstruct, and they are the first that are redundant.
void TestHeadStatistics::roundingIsNoFluctuation() {
    HeadSet constant{{1, 2}};
    for (std::size_t head = 0; head < 4; ++head)
        constant.push_back({0, head});
    const auto model = withConstantHeads(constant);
    const ModelSpec& spec = model->spec;
    QCOMPARE(spec.n_heads, std::size_t{4});
    const PassageSet text = randomPassages(*model, 12, 30, 1);
    const HeadStatistics statistics = require(headStatistics(model, text));
    const HeadMoments all = statistics.all(0);
    double residue = 0.0;
    for (const double value : all.momentsAbout(all.mean()).values)
        residue = std::max(residue, std::abs(value));
    QVERIFY(residue > 0.0 && residue < 1e-12);

    const PerHead<double> flap = fluctuations(*model, statistics);
    const PerHead<double> errors = reconstructionErrors(*model, statistics);
    const PerHead<double> ranks = redundancyRanks(*model, statistics);
    for (const LayerHead head : spec.allHeads()) {
        const bool is_constant = std::ranges::find(constant, head) != constant.end();
        QCOMPARE(flap[head] == 0.0, is_constant);
        QCOMPARE(ranks[head] < static_cast<double>(constant.size()), is_constant);
        QVERIFY(is_constant ? errors[head] < 1e-15 : errors[head] > 1e-6);
    }
}

const headscope::test::TestRegistration<TestHeadStatistics> registration;

} // namespace test_head_statistics

#include "test_head_statistics.moc"
