// Scores along the singular directions of the QK form, against a decomposition of the whole form.

#include "core/attribution/score_signals.h"
#include "core/circuits/factors/head_circuits.h"
#include "core/tensor/gemm.h"
#include "core/tensor/linear_algebra.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_score_signals {

using namespace headscope;
using namespace headscope::test;

namespace {
double largestPart(const ScoreSignals& found) {
    return found.directions.empty() ? 1e-3
                                    : std::max(1e-3, std::abs(found.directions.front().part));
}

} // namespace

class TestScoreSignals : public QObject {
    Q_OBJECT

private slots:
    void partsAddUp_data() {
        QTest::addColumn<std::shared_ptr<const Model>>("model");
        for (const auto& names : {fixtureNames(), variantNames()})
            for (const std::string& name : names)
                QTest::newRow(name.c_str()) << loadFixture(name);
    }
    /// In every family the directions add up to the difference, and those too weak to tell are
    /// worth nothing where the form has full rank.
    void partsAddUp() {
        QFETCH(std::shared_ptr<const Model>, model);
        const StreamRun run = require(StreamRun::read(model, {someIds(model->spec, 9)}));
        const LayerHead head = model->spec.allHeads().back();
        const std::size_t query = run.positions() - 1;
        for (const ScoreContrast contrast : {ScoreContrast::Nothing, ScoreContrast::OtherKeys}) {
            const ScoreQuestion question{head, query, query - 1, contrast};
            const ScoreSignals found = require(scoreSignals(run, question));
            const ScoreParts parts = require(takeScoreApart(run, question));
            const double size = largestPart(found);
            const double sum = std::accumulate(
                found.directions.begin(), found.directions.end(), found.distance + found.rest,
                [](double all, const ScoreSignal& signal) { return all + signal.part; });
            QVERIFY(std::abs(sum - parts.difference()) <= 1e-4 * size);
            // Centred queries and keys have a dimension that only the norm's bias reaches.
            const bool centred =
                model->spec.qk_norm != QkNorm::None && model->spec.norm.kind == NormKind::LayerNorm;
            QVERIFY(centred || std::abs(found.rest) <= 1e-3 * size);
            QVERIFY(found.directions.size() <= model->spec.d_head);
            QVERIFY(std::ranges::is_sorted(found.directions, std::greater(),
                                           [](const auto& s) { return std::abs(s.part); }));
        }
    }

    /// W_Q R W_Kᵀ [d_model, d_model] as circuits form it, decomposed whole: the same singular
    /// values, and of each the same part of the score, from the normalised streams themselves.
    void areThoseOfTheWholeForm() {
        const auto model = loadSample("llama-mini-gqa-4l"); // RMSNorm, rotary, without biases
        const ModelSpec& spec = model->spec;
        const StreamRun run = require(StreamRun::read(model, {someIds(spec, 9)}));
        const ScoreQuestion question{{2, 3}, 8, 5, ScoreContrast::Nothing};
        const ScoreSignals found = require(scoreSignals(run, question));
        const auto form = require(qkCircuit(foldWeights(model), question.head, Offset{3}));
        Tensor whole({spec.d_model, spec.d_model});
        multiply(form.left.matrix(), form.right.matrix(), whole.matrix());
        const ThinSvd svd = require(thinSvd(whole.matrix()));
        Tensor identity({spec.d_model, spec.d_model});
        for (std::size_t i = 0; i < spec.d_model; ++i)
            identity(i, i) = 1.0f;
        const StreamParts stream =
            partsOfStream(run, question.head.layer, identity, {0, run.positions()});
        const auto normed = [&](std::size_t position) {
            std::vector<double> x(spec.d_model, 0.0);
            for (std::size_t writer = 0; writer < stream.writers.size(); ++writer)
                for (std::size_t i = 0; i < x.size(); ++i)
                    x[i] += static_cast<double>(stream.at(writer, position)[i]) /
                            run.scale({HookKind::Ln1Scale, question.head.layer}, position);
            return x;
        };
        const std::vector<double> query = normed(question.query);
        const std::vector<double> key = normed(question.key);
        for (const ScoreSignal& signal : found.directions) {
            const auto at = std::ranges::min_element(
                svd.S, {}, [&](double s) { return std::abs(s - signal.singular_value); });
            const auto i = static_cast<std::size_t>(at - svd.S.begin());
            QVERIFY(std::abs(*at - signal.singular_value) <= 1e-4 * svd.S.front());
            double q = 0.0;
            double k = 0.0;
            for (std::size_t d = 0; d < spec.d_model; ++d) {
                q += query[d] * static_cast<double>(svd.U(d, i));
                k += key[d] * static_cast<double>(svd.Vt(i, d));
            }
            const double expected = spec.attention_scale[2] * q * svd.S[i] * k;
            QVERIFY(std::abs(signal.part - expected) <= 1e-3 * largestPart(found));
        }
        QCOMPARE(found.directions.size(), spec.d_head);
    }

    /// In the circuit made by hand a direction matches each letter with itself.
    void wordsOfTheInductionHead() {
        const auto model = loadSample("induction-circuit");
        const TokenIds ids{0, 1, 2, 3, 4, 1, 2, 3};
        const StreamRun run = require(StreamRun::read(model, {ids}));
        const ScoreSignals found = require(scoreSignals(run, {{1, 0}, 7, 4}, 2, 3));
        QCOMPARE(found.directions[0].query_words.size(), std::size_t{3});
        QCOMPARE(found.directions[1].key_words.size(), std::size_t{3});
        QVERIFY(found.directions[2].key_words.empty());
    }

    void countsWhatCarries() {
        ScoreSignals found;
        for (const double part : {6.0, 3.0, -1.5, 1.0, 1.0, 0.5})
            found.directions.push_back({1.0, part, {}, {}, {}, {}});
        QCOMPARE(found.carrying(0.9), std::size_t{5}); // 9.5 of 10
        QCOMPARE(found.carrying(0.5), std::size_t{1}); // 6, and never below 5 again
        QCOMPARE(ScoreSignals{}.carrying(0.9), std::size_t{0});
    }
};

const headscope::test::TestRegistration<TestScoreSignals> registration;

} // namespace test_score_signals

#include "test_score_signals.moc"
