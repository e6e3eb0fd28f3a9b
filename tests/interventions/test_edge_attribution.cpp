// Edge attribution against runs that change one edge by hand.

#include "core/engine/engine.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/edge_patching.h"
#include "core/model/prompt.h"
#include "tests/interventions/edges_by_hand.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace test_edge_attribution {

using namespace headscope;
using namespace headscope::test;

namespace {

/// d changedBy / d share where nothing is added yet.
double slopeOf(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
               float way = 0.0f) {
    constexpr float kStep = 0.01f;
    return (changedBy(model, result, edge, kStep, way) -
            changedBy(model, result, edge, -kStep, way)) /
           (2.0 * static_cast<double>(kStep));
}

void verifySlope(double score, double slope, double largest) {
    QVERIFY2(std::abs(slope - score) <= 0.02 * largest + 2e-5,
             qPrintable(QStringLiteral("%1 in place of %2").arg(score).arg(slope)));
}

/// What the metric changes by when what the receiver makes of the edge's difference is put in place
/// of what it made, to first order: a little of it is put in and taken out.
double slopeBehind(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge) {
    const ModelSpec& spec = model->spec;
    const StreamWriter& writer = result.writers[edge.writer];
    const EdgeReceiver& receiver = result.receivers[edge.receiver];
    const HookPoint made{receiver.input == EdgeInput::Mlp ? HookKind::MlpOut : HookKind::Z,
                         receiver.layer};
    HookSet capture;
    captureOutput(capture, spec, writer);
    capture.capture(made);
    const auto clean = require(runModel(model, result.question.clean, {}, capture));
    const auto corrupted = require(runModel(model, result.question.corrupted, {}, capture));
    HookSet changes;
    changes.edit(inputOf(receiver, spec),
                 CarriedDifference(spec, result, edge, *clean, *corrupted).added(1.0f));
    changes.capture(made);
    const auto changed = require(runModel(model, result.question.clean, {}, changes));
    const Tensor before = clean->captured.at(made);
    const Tensor after = changed->captured.at(made);
    const auto at = [&](float share) {
        HookSet hooks;
        hooks.edit(made, [&](HookPoint, const MutableTensorView& value) {
            for (std::size_t i = 0; i < before.size(); ++i)
                value.data[i] += share * (after.values()[i] - before.values()[i]);
        });
        return logitDifference(*require(runModel(model, result.question.clean, {}, hooks)));
    };
    constexpr float kStep = 0.03f;
    return (at(kStep) - at(-kStep)) / (2.0 * static_cast<double>(kStep));
}

/// Two layers of heads, without norms.
std::shared_ptr<const Model> attentionOnly() {
    ModelSpec spec;
    spec.family = "random";
    spec.n_layers = 2;
    spec.d_model = 16;
    spec.n_heads = 4;
    spec.n_kv_heads = 2;
    spec.d_head = 4;
    spec.d_vocab = 64;
    spec.n_ctx = 16;
    spec.norm_placement = NormPlacement::None;
    spec.final_norm = false;
    spec.mlp = MlpKind::None;
    return livelyRandomModel(spec, 3);
}

} // namespace

class TestEdgeAttribution : public QObject {
    Q_OBJECT

private slots:
    void scoresAreSlopes_data() { addEdgeFamilies(); }
    void scoresAreSlopes() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        const double largest = std::abs(static_cast<double>(result.score(result.best(1)[0])));
        QVERIFY(largest > 1e-4);
        for (const Edge edge : someEdges(result))
            verifySlope(static_cast<double>(result.score(edge)), slopeOf(model, result, edge),
                        largest);
    }

    void integratedScoresAreMeansOfSlopes_data() { addEdgeFamilies(); }
    void integratedScoresAreMeansOfSlopes() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        EdgeQuestion question = edgeQuestion();
        question.estimate = EdgeEstimate::Integrated;
        question.steps = 2;
        const EdgeResult result = require(attributeEdges(model, question));
        const double largest = std::abs(static_cast<double>(result.score(result.best(1)[0])));
        for (const Edge edge : someEdges(result))
            verifySlope(static_cast<double>(result.score(edge)),
                        0.5 * slopeOf(model, result, edge, 0.25f) +
                            0.5 * slopeOf(model, result, edge, 0.75f),
                        largest);
    }

    /// Behind what a receiver makes of its input all is taken at its slope.
    void recomputedScoresAreSlopesBehindTheReceiver_data() { addEdgeFamilies(); }
    void recomputedScoresAreSlopesBehindTheReceiver() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        EdgeQuestion question = edgeQuestion();
        question.estimate = EdgeEstimate::Recomputed;
        const EdgeResult result = require(attributeEdges(model, question));
        const double largest = std::abs(static_cast<double>(result.score(result.best(1)[0])));
        std::vector<Edge> edges = someEdges(result);
        for (std::size_t r = 0; r < result.receivers.size(); ++r) // each head and input once
            edges.push_back({result.receivers[r].writers - 1, r});
        for (const Edge edge : edges) {
            const EdgeReceiver& receiver = result.receivers[edge.receiver];
            const double score = static_cast<double>(result.score(edge));
            if (receiver.input == EdgeInput::Logits)
                verifySlope(score, changedBy(model, result, edge, 1.0f) - result.clean, 0.0);
            else
                verifySlope(score, slopeBehind(model, result, edge), largest);
        }
    }

    /// Without norms and MLPs nothing but a sum comes behind the heads of the last layer: nothing
    /// is left there to take to first order, not even in softmaxes.
    void recomputedScoresAreExactBehindSums() {
        const auto model = attentionOnly();
        EdgeQuestion question = edgeQuestion();
        const EdgeResult slopes = require(attributeEdges(model, question));
        question.estimate = EdgeEstimate::Recomputed;
        const EdgeResult result = require(attributeEdges(model, question));
        std::vector<Edge> edges = result.best(result.edgeCount());
        std::erase_if(edges, [&](Edge edge) {
            const EdgeInput input = result.receivers[edge.receiver].input;
            return result.receivers[edge.receiver].layer + 1 != model->spec.n_layers ||
                   input == EdgeInput::V;
        });
        const std::vector<double> measured = require(patchEdges(model, result, edges));
        double largest = 0.0;
        double slope_is_off = 0.0;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            largest = std::max(largest, std::abs(measured[i]));
            slope_is_off = std::max(
                slope_is_off, std::abs(measured[i] - static_cast<double>(slopes.score(edges[i]))));
        }
        for (std::size_t i = 0; i < edges.size(); ++i)
            QVERIFY(std::abs(measured[i] - static_cast<double>(result.score(edges[i]))) <=
                    1e-4 * largest);
        QVERIFY(slope_is_off > 0.05 * largest);
    }

    /// What a node adds reaches the metric along its edges alone, so its slope is their sum. Where
    /// a norm follows, the heads of a layer together are one such node.
    void edgesOfANodeAddUpToItsOwnAttribution_data() { addEdgeFamilies(); }
    void edgesOfANodeAddUpToItsOwnAttribution() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const bool together = !normBehindHeads(model->spec, 0).empty();
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        PatchQuestion nodes; // its slope is taken in the run of `corrupted`
        nodes.clean = edgeQuestion().corrupted;
        nodes.corrupted = edgeQuestion().clean;
        nodes.metric = edgeQuestion().metric;
        nodes.method = EffectMethod::Gradient;
        for (const WriterKind kind : {WriterKind::Head, WriterKind::Mlp}) {
            const bool by_head = kind == WriterKind::Head && !together;
            nodes.hook = by_head                    ? HookKind::Result
                         : kind == WriterKind::Head ? HookKind::AttnOut
                                                    : HookKind::MlpOut;
            nodes.by_head = by_head;
            nodes.by_position = false;
            const PatchResult found = require(patchActivations(model, nodes));
            std::map<LayerHead, double> sums;
            for (std::size_t w = 0; w < result.writers.size(); ++w) {
                const StreamWriter& writer = result.writers[w];
                if (writer.kind != kind)
                    continue;
                double& sum = sums[by_head ? writer.of : LayerHead{writer.of.layer, 0}];
                for (std::size_t r = 0; r < result.receivers.size(); ++r)
                    if (w < result.receivers[r].writers)
                        sum += static_cast<double>(result.scores(w, r));
            }
            for (const auto& [node, sum] : sums) {
                const double expected =
                    found.values[found.index(node.layer, 0, node.head)] - found.corrupted;
                QVERIFY(std::abs(sum - expected) <= 1e-4 * std::abs(expected) + 2e-5);
            }
        }
    }

    void nodesHaveEdgesOnlyForwards() {
        const EdgeResult result = require(attributeEdges(loadFixture("gpt2"), edgeQuestion()));
        for (std::size_t r = 0; r < result.receivers.size(); ++r)
            for (std::size_t w = 0; w < result.writers.size(); ++w)
                QCOMPARE(std::isnan(result.scores(w, r)), w >= result.receivers[r].writers);
        QCOMPARE(edgeReceiverText(result.receivers.front()), std::string("0.0:q"));
        QCOMPARE(result.receivers.front().writers, std::size_t{1});
    }

    void edgeRefusals() {
        EdgeQuestion question = edgeQuestion();
        question.clean.pop_back();
        QCOMPARE(attributeEdges(loadFixture("gpt2"), question).error().message,
                 std::string("The clean prompt has 5 tokens and the corrupted one has 6; give two "
                             "of the same length."));
        question = edgeQuestion();
        question.metric.kind = MetricKind::Kl;
        QVERIFY(attributeEdges(loadFixture("gpt2"), question)
                    .error()
                    .message.starts_with("The slope of KL is 0"));
        QVERIFY(attributeEdges(loadFixture("bert"), edgeQuestion())
                    .error()
                    .message.starts_with("This network normalises its residual stream"));
        question = edgeQuestion();
        question.estimate = EdgeEstimate::Integrated;
        question.steps = 0;
        QVERIFY(attributeEdges(loadFixture("gpt2"), question)
                    .error()
                    .message.starts_with("Integrated slopes need at least one step"));
    }

    void edgesCanBeCancelled() {
        std::stop_source source;
        source.request_stop();
        const auto result =
            attributeEdges(loadFixture("gpt2"), edgeQuestion(), {}, source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestEdgeAttribution> registration;

} // namespace test_edge_attribution

#include "test_edge_attribution.moc"
