// Edge attribution against runs that change one edge by hand.

#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/edge_patching.h"
#include "core/model/prompt.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <span>
#include <vector>

using namespace headscope;
using namespace headscope::test;

namespace {

EdgeQuestion edgeQuestion() {
    EdgeQuestion question;
    question.clean = {5, 18, 3, 42, 5, 60};
    question.corrupted = {5, 17, 3, 42, 9, 60};
    question.metric.kind = MetricKind::LogitDifference;
    question.metric.token = 7;
    question.metric.other = 31;
    return question;
}

HookPoint outputOf(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Embedding)
        return {HookKind::ResidPre, 0};
    return {writer.kind == WriterKind::Head ? HookKind::Result : HookKind::MlpOut, writer.of.layer};
}

HookPoint inputOf(const EdgeReceiver& receiver, const ModelSpec& spec) {
    switch (receiver.input) {
    case EdgeInput::Q:
        return {HookKind::QInput, receiver.layer};
    case EdgeInput::K:
        return {HookKind::KInput, receiver.layer};
    case EdgeInput::V:
        return {HookKind::VInput, receiver.layer};
    case EdgeInput::Mlp:
        return {HookKind::MlpIn, receiver.layer};
    case EdgeInput::Logits:
        break;
    }
    return {HookKind::ResidPost, spec.n_layers - 1};
}

/// The norm behind the output of attention: where hooks see its scale, its normalized value and its
/// output; empty without one.
std::vector<HookPoint> normBehindHeads(const ModelSpec& spec, std::size_t layer) {
    const BlockPlan plan = blockPlan(spec);
    const BlockStep* norm = plan.norm(Branch::Attention, BlockValue::Output);
    std::vector<HookPoint> points;
    if (norm)
        for (const HookKind kind : norm->hooks)
            points.push_back({kind, layer});
    return points;
}

/// All that addedBy() reads.
void captureOutput(HookSet& hooks, const ModelSpec& spec, const StreamWriter& writer) {
    hooks.capture(outputOf(writer));
    if (writer.kind == WriterKind::Head)
        for (const HookPoint point : normBehindHeads(spec, writer.of.layer))
            hooks.capture(point);
}

/// What a writer adds to the stream, [position, d_model]; of a head its result, where a norm (an
/// RMSNorm) follows through the gain that is seen there and with the scale of that run.
Tensor addedBy(const ModelSpec& spec, const Run& run, const StreamWriter& writer) {
    const Tensor& output = run.captured.at(outputOf(writer));
    if (writer.kind != WriterKind::Head)
        return output;
    const std::size_t place = spec.headPlace(writer.of);
    const std::vector<HookPoint> norm = normBehindHeads(spec, writer.of.layer);
    Tensor added({output.dim(0), output.dim(2)});
    for (std::size_t p = 0; p < added.dim(0); ++p)
        for (std::size_t c = 0; c < added.dim(1); ++c) {
            added(p, c) = output(p, place, c);
            if (!norm.empty())
                added(p, c) *= run.captured.at(norm[2])(p, c) / run.captured.at(norm[1])(p, c) /
                               run.captured.at(norm[0])(p, 0);
        }
    return added;
}

/// The element of [position, head, d_model] or [position, d_model].
float elementAt(const Tensor& value, std::size_t position, std::size_t place, std::size_t c) {
    return value.shape().size() == 3 ? value(position, place, c) : value(position, c);
}

/// An editor that moves a value so far from one to another of its shape.
HookSet::Editor moved(const Tensor& from, const Tensor& to, float share) {
    return [&from, &to, share](HookPoint, const MutableTensorView& value) {
        for (std::size_t p = 0; p < value.shape[0]; ++p)
            for (std::size_t c = 0; c < value.shape[1]; ++c)
                value(p, c) += share * (to(p, c) - from(p, c));
    };
}

double logitDifference(const Run& run) {
    const std::size_t last = run.ids.size() - 1;
    return static_cast<double>(run.logits(last, 7)) - static_cast<double>(run.logits(last, 31));
}

/// What an edge's writer adds in both prompts, and where its receiver reads it.
class CarriedDifference {
public:
    CarriedDifference(const ModelSpec& spec, const EdgeResult& result, Edge edge, const Run& clean,
                      const Run& corrupted)
        : receiver_(result.receivers[edge.receiver].place),
          from_(addedBy(spec, clean, result.writers[edge.writer])),
          to_(addedBy(spec, corrupted, result.writers[edge.writer])) {}

    /// Adds `share` of it to what the receiver reads.
    HookSet::Editor added(float share) const {
        return [*this, share](HookPoint, const MutableTensorView& value) {
            for (std::size_t p = 0; p < value.shape[0]; ++p)
                for (std::size_t c = 0; c < value.shape.back(); ++c) {
                    float& element = value.rank() == 3 ? value(p, receiver_, c) : value(p, c);
                    element += share * (to_(p, c) - from_(p, c));
                }
        };
    }

private:
    std::size_t receiver_;
    Tensor from_;
    Tensor to_;
};

/// The logit difference of the clean run, so far on the way to the corrupted prompt's embeddings,
/// whose receiver reads `share` of the writer's difference more, from the tokens on.
double changedBy(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
                 float share, float way = 0.0f) {
    const StreamWriter& writer = result.writers[edge.writer];
    const EdgeReceiver& receiver = result.receivers[edge.receiver];
    HookSet capture;
    captureOutput(capture, model->spec, writer);
    capture.capture(HookKind::Embed);
    const auto clean = require(runModel(model, result.question.clean, {}, capture));
    const auto corrupted = require(runModel(model, result.question.corrupted, {}, capture));
    const CarriedDifference carried(model->spec, result, edge, *clean, *corrupted);
    const HookPoint embed{HookKind::Embed, 0};
    HookSet hooks;
    hooks.edit(embed, moved(clean->captured.at(embed), corrupted->captured.at(embed), way));
    hooks.edit(inputOf(receiver, model->spec), carried.added(share));
    return logitDifference(*require(runModel(model, result.question.clean, {}, hooks)));
}

/// d changedBy / d share where nothing is added yet.
double slopeOf(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
               float way = 0.0f) {
    constexpr float kStep = 0.01f;
    return (changedBy(model, result, edge, kStep, way) -
            changedBy(model, result, edge, -kStep, way)) /
           (2.0 * static_cast<double>(kStep));
}

/// The same result with scores that put the chosen edges first.
EdgeResult withFirst(EdgeResult result, const std::function<bool(Edge)>& chosen) {
    for (std::size_t r = 0; r < result.receivers.size(); ++r)
        for (std::size_t w = 0; w < result.receivers[r].writers; ++w)
            result.scores(w, r) = chosen({w, r}) ? 1.0f : 0.0f;
    return result;
}

/// The logit difference of the clean run with a corrupted value put in at one point, of one head.
double replacedAt(const std::shared_ptr<const Model>& model, HookPoint point, std::size_t place) {
    HookSet capture;
    capture.capture(point);
    const auto corrupted = require(runModel(model, edgeQuestion().corrupted, {}, capture));
    const Tensor& from = corrupted->captured.at(point);
    HookSet hooks;
    hooks.edit(point, [&](HookPoint, const MutableTensorView& value) {
        for (std::size_t p = 0; p < value.shape[0]; ++p)
            for (std::size_t c = 0; c < value.shape.back(); ++c)
                (value.rank() == 3 ? value(p, place, c) : value(p, c)) =
                    elementAt(from, p, place, c);
    });
    return logitDifference(*require(runModel(model, edgeQuestion().clean, {}, hooks)));
}

/// The logit difference of the clean run in which a writer of the first layer adds what it adds in
/// the corrupted one.
double replacedOutput(const std::shared_ptr<const Model>& model, const StreamWriter& writer) {
    const ModelSpec& spec = model->spec;
    const std::vector<HookPoint> norm = normBehindHeads(spec, writer.of.layer);
    if (writer.kind != WriterKind::Head || norm.empty())
        return replacedAt(model, outputOf(writer),
                          writer.kind == WriterKind::Head ? spec.headPlace(writer.of) : 0);
    HookSet capture;
    captureOutput(capture, spec, writer);
    const auto clean = require(runModel(model, edgeQuestion().clean, {}, capture));
    const auto corrupted = require(runModel(model, edgeQuestion().corrupted, {}, capture));
    const Tensor from = addedBy(spec, *clean, writer);
    const Tensor to = addedBy(spec, *corrupted, writer);
    HookSet hooks;
    hooks.edit(norm[2], moved(from, to, 1.0f));
    return logitDifference(*require(runModel(model, edgeQuestion().clean, {}, hooks)));
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

std::vector<Edge> someEdges(const EdgeResult& result) {
    std::vector<Edge> edges = result.best(10);
    const std::size_t last = result.receivers.size() - 1;
    edges.push_back({0, 0});
    edges.push_back({result.receivers[last].writers - 1, last});
    return edges;
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
    return randomModel(spec, 3);
}

void addFamilies() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "llama-gqa", "gptj", "gpt_neox", "cohere", "bloom", "granite",
                             "falcon-grouped", "gemma2", "gemma3", "olmo2"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

} // namespace

class TestEdgeAttribution : public QObject {
    Q_OBJECT

private slots:
    void scoresAreSlopes_data() { addFamilies(); }
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

    void integratedScoresAreMeansOfSlopes_data() { addFamilies(); }
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
    void recomputedScoresAreSlopesBehindTheReceiver_data() { addFamilies(); }
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
    void edgesOfANodeAddUpToItsOwnAttribution_data() { addFamilies(); }
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

    void patchesAreRunsWithOneEdgeChanged_data() { addFamilies(); }
    void patchesAreRunsWithOneEdgeChanged() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        const std::vector<Edge> edges = someEdges(result);
        const std::vector<double> found = require(patchEdges(model, result, edges));
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const double expected = changedBy(model, result, edges[i], 1.0f) - result.clean;
            QVERIFY(std::abs(found[i] - expected) <= 2e-5);
        }
    }

    void circuitsGoFromOnePromptToTheOther_data() { addFamilies(); }
    void circuitsGoFromOnePromptToTheOther() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        const std::vector<std::size_t> counts{0, 1, 1000000};
        const auto circuits = require(measureEdgeCircuits(model, result, counts));
        QVERIFY(std::abs(circuits[0].kept - result.corrupted) <= 2e-5);
        QVERIFY(std::abs(circuits[0].without - result.clean) <= 2e-5);
        const std::vector<double> changes = require(patchEdges(model, result, result.best(1)));
        QVERIFY(std::abs(circuits[1].without - result.clean - changes[0]) <= 2e-5);
        QCOMPARE(circuits[2].edges, result.edgeCount());
        QVERIFY(std::abs(circuits[2].kept - result.clean) <= 2e-5);
        QVERIFY(std::abs(circuits[2].without - result.corrupted) <= 2e-5);
        QVERIFY(std::abs(shareOfClean(result, circuits[2].kept) - 1.0) <= 1e-3);
    }

    /// All edges of a node together are what one edit of its output, or of its input, does.
    void circuitsOfAllEdgesOfANodeAreEditsOfIt_data() { addFamilies(); }
    void circuitsOfAllEdgesOfANodeAreEditsOfIt() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        for (const std::size_t writer : {std::size_t{0}, std::size_t{2}}) {
            const StreamWriter& node = result.writers[writer];
            std::size_t count = 0;
            const EdgeResult from =
                withFirst(result, [&](Edge edge) { return edge.writer == writer && ++count > 0; });
            const auto found = require(measureEdgeCircuits(model, from, std::span(&count, 1)));
            QVERIFY(std::abs(found[0].without - replacedOutput(model, node)) <= 5e-5);
        }
        for (std::size_t r = 0; r < result.receivers.size(); r += 3) {
            const EdgeReceiver& node = result.receivers[r];
            const EdgeResult into =
                withFirst(result, [&](Edge edge) { return edge.receiver == r; });
            const auto found =
                require(measureEdgeCircuits(model, into, std::span(&node.writers, 1)));
            QVERIFY(std::abs(found[0].without -
                             replacedAt(model, inputOf(node, model->spec), node.place)) <= 5e-5);
        }
    }

    void circuitSizesGoUpToAllEdges() {
        const EdgeResult result = require(attributeEdges(loadFixture("gpt2"), edgeQuestion()));
        const std::vector<std::size_t> sizes = circuitSizes(result);
        QCOMPARE(sizes.front(), std::size_t{0});
        QCOMPARE(sizes[4], std::size_t{10});
        QCOMPARE(sizes.back(), result.edgeCount());
        QVERIFY(std::ranges::is_sorted(sizes));
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
#include "test_edge_attribution.moc"
