// Losses, divergences and predictions of networks without some heads, against the float64 reference
// engine.

#include "core/engine/loss.h"
#include "core/pruning/measure/judge.h"
#include "tests/pruning/pruning_cases.h"
#include "tests/support/reference_engine.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>

namespace test_judge {

using namespace headscope;
using namespace headscope::test;

namespace {

/// ln p of every token at one position, from float64 logits.
std::vector<double> logProbabilities(const Matrix& logits, std::size_t position) {
    std::vector<double> row(logits.cols);
    double largest = -1e300;
    for (std::size_t i = 0; i < row.size(); ++i)
        largest = std::max(largest, row[i] = logits(position, i));
    double sum = 0.0;
    for (const double value : row)
        sum += std::exp(value - largest);
    for (double& value : row)
        value -= largest + std::log(sum);
    return row;
}

struct Expected {
    std::vector<double> loss;
    std::vector<double> divergence;
    std::vector<std::uint8_t> agrees;
};

/// Of every target, in the order of the passages: ln p of every token.
std::vector<std::vector<double>> predictionsWithout(const Model& model, const PassageSet& text,
                                                    const HeadSet& removed) {
    const auto zeroed = [&](LayerHead head, Matrix& z) {
        if (std::ranges::find(removed, head) != removed.end())
            std::ranges::fill(z.values, 0.0);
    };
    std::vector<std::vector<double>> predictions;
    for (const Passage& passage : text.passages) {
        const Matrix logits = referenceRun(model, passage.ids, zeroed).logits;
        for (const Target& target : passage.targets)
            predictions.push_back(logProbabilities(logits, target.position));
    }
    return predictions;
}

/// Of networks that predict so, whole and cut.
Expected expectedOf(const PassageSet& text, const std::vector<std::vector<double>>& whole,
                    const std::vector<std::vector<double>>& cut) {
    Expected expected;
    std::size_t at = 0;
    for (const Passage& passage : text.passages) {
        for (const Target& target : passage.targets) {
            const std::vector<double>& p = whole[at];
            const std::vector<double>& q = cut[at++];
            double divergence = 0.0;
            for (std::size_t i = 0; i < p.size(); ++i)
                divergence += std::exp(p[i]) * (p[i] - q[i]);
            expected.loss.push_back(-q[static_cast<std::size_t>(target.token)]);
            expected.divergence.push_back(divergence);
            expected.agrees.push_back(std::ranges::max_element(p) - p.begin() ==
                                      std::ranges::max_element(q) - q.begin());
        }
    }
    return expected;
}

double mean(const auto& values) {
    double sum = 0.0;
    for (const auto value : values)
        sum += static_cast<double>(value);
    return sum / static_cast<double>(values.size());
}

/// Ten masks, from one head to nearly all.
std::vector<HeadSet> tenMasks(const ModelSpec& spec) {
    Random random(5);
    std::vector<HeadSet> masks;
    for (std::size_t mask = 1; mask <= 10; ++mask) {
        HeadSet heads;
        for (const LayerHead head : spec.allHeads())
            if (random.below(11) < mask)
                heads.push_back(head);
        if (heads.empty())
            heads.push_back({spec.n_layers - 1, 0});
        masks.push_back(heads);
    }
    return masks;
}

} // namespace

class TestJudge : public QObject {
    Q_OBJECT

private slots:
    void readsWhatTheReferenceReads_data();
    void readsWhatTheReferenceReads();
    void resumingChangesNothing();
    void resampledHeadsAreThoseOfOtherPassages();
    void refusals();
};

void TestJudge::readsWhatTheReferenceReads_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "llama-gqa", "gemma2", "bert", "gpt2-mini-6l",
                             "llama-mini-gqa-4l", "bert-mini-4l"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TestJudge::readsWhatTheReferenceReads() {
    QFETCH(QString, name);
    const bool sample = name.contains(QStringLiteral("mini"));
    const auto model =
        sample ? loadSample(name.toStdString()) : predictingFixture(name.toStdString());
    const PassageSet text = randomPassages(*model, 2, sample ? 12 : 20, 3);
    auto judge = require(Judge::make(model, text, Compare::WithWhole));
    const auto whole = predictionsWithout(*model, text, {});
    for (const HeadSet& removed : tenMasks(model->spec)) {
        const Expected expected =
            expectedOf(text, whole, predictionsWithout(*model, text, removed));
        const TargetReadings found = require(judge.measure({removed, {}}, true));
        QVERIFY(std::abs(mean(found.loss) / mean(expected.loss) - 1.0) < 1e-5);
        QVERIFY(std::abs(mean(found.divergence) - mean(expected.divergence)) < 1e-4);
        QVERIFY(std::abs(mean(found.agrees) - mean(expected.agrees)) < 0.06); // ties may fall so
        for (std::size_t i = 0; i < expected.loss.size(); ++i)
            QVERIFY(std::abs(double{found.loss[i]} - expected.loss[i]) < 2e-4);
    }
}

void TestJudge::resumingChangesNothing() {
    const auto model = loadSample("gpt2-mini-6l");
    const PassageSet text = randomPassages(*model, 4, 20, 3);
    const std::vector<HeadSet> cuts{{{2, 1}},         {{2, 1}, {4, 0}}, {{2, 1}, {4, 0}, {5, 5}},
                                    {{2, 1}, {3, 3}}, {{0, 0}},         {}};
    auto judge = require(Judge::make(model, text, Compare::WithWhole));
    for (const HeadSet& removed : cuts) {
        const TargetReadings resumed = require(judge.measure({removed, {}}, true));
        const TargetReadings again = require(judge.measure({removed, {}}, false));
        auto fresh = require(
            Judge::make(require(smallerModel(*model, {removed, {}})), text, Compare::Nothing));
        QCOMPARE(again.loss, resumed.loss);
        for (std::size_t i = 0; i < resumed.loss.size(); ++i)
            QVERIFY(std::abs(resumed.loss[i] - fresh.whole().loss[i]) < 1e-5f);
    }
}

void TestJudge::resampledHeadsAreThoseOfOtherPassages() {
    const auto model = loadFixture("gpt2");
    const PassageSet test = randomPassages(*model, 1, 12, 3);
    const PassageSet other = randomPassages(*model, 1, 12, 4);
    const auto stand_ins = require(passageStandIns(model, other));
    auto judge = require(Judge::make(model, test, Compare::Nothing));
    const HeadSet removed{{0, 1}, {1, 2}};
    const TargetReadings found = require(judge.measureResampled(removed, stand_ins));
    HeadMask mask;
    for (const LayerHead head : removed)
        mask.set(head, AblationKind::Resample);
    HookSet hooks;
    addAblation(hooks, mask, model->spec, stand_ins.front());
    const auto run = require(runModel(model, test.passages[0].ids, {}, hooks));
    const auto expected = nextTokenLosses(run->logits, test.passages[0].ids);
    for (std::size_t i = 0; i < expected.size(); ++i)
        QVERIFY(std::abs(double{found.loss[i]} - expected[i]) < 1e-5);
    const PassageSet shorter = randomPassages(*model, 1, 8, 4);
    const auto too_short = require(passageStandIns(model, shorter));
    QVERIFY(judge.measureResampled(removed, too_short)
                .error()
                .message.starts_with("No passage of the calibration text has the "));
}

void TestJudge::refusals() {
    const auto notebook = loadFixture("notebook");
    PassageSet text;
    text.passages = {{{0, 1, 2}, {{0, 1}}, 0}};
    text.targets = 1;
    QVERIFY(Judge::make(notebook, text, Compare::Nothing)
                .error()
                .message.starts_with("notebook has no vocabulary and predicts nothing"));
    const auto gpt2 = loadFixture("gpt2");
    text.targets = std::size_t{1} << 40;
    QVERIFY(Judge::make(gpt2, text, Compare::WithWhole)
                .error()
                .message.ends_with("take fewer test tokens."));
}

const headscope::test::TestRegistration<TestJudge> registration;

} // namespace test_judge

#include "test_judge.moc"
