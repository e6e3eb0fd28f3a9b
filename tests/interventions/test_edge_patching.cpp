// Edges that carry the corrupted prompt, one by one and as networks, against edits by hand.

#include "core/engine/engine.h"
#include "core/interventions/edge_patching.h"
#include "tests/interventions/edges_by_hand.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

namespace test_edge_patching {

using namespace headscope;
using namespace headscope::test;

namespace {

/// The element of [position, head, d_model] or [position, d_model].
float elementAt(const Tensor& value, std::size_t position, std::size_t place, std::size_t c) {
    return value.shape().size() == 3 ? value(position, place, c) : value(position, c);
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

} // namespace

class TestEdgePatching : public QObject {
    Q_OBJECT

private slots:
    void patchesAreRunsWithOneEdgeChanged_data() { addEdgeFamilies(); }
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

    void circuitsGoFromOnePromptToTheOther_data() { addEdgeFamilies(); }
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
    void circuitsOfAllEdgesOfANodeAreEditsOfIt_data() { addEdgeFamilies(); }
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
};

const headscope::test::TestRegistration<TestEdgePatching> registration;

} // namespace test_edge_patching

#include "test_edge_patching.moc"
