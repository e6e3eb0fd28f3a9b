// Edge attribution against runs that change one edge by hand.

#include "core/engine/engine.h"
#include "core/interventions/activation_patching.h"
#include "core/interventions/edge_attribution.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

#include <cmath>

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

/// The element of [position, head, d_model] or [position, d_model].
float elementAt(const Tensor& value, std::size_t position, std::size_t place, std::size_t c) {
    return value.shape().size() == 3 ? value(position, place, c) : value(position, c);
}

/// The logit difference of the clean run whose receiver reads `share` of the writer's difference
/// more, from the tokens on.
double changedBy(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
                 float share) {
    const StreamWriter& writer = result.writers[edge.writer];
    const EdgeReceiver& receiver = result.receivers[edge.receiver];
    HookSet capture;
    capture.capture(outputOf(writer));
    const auto clean = require(runModel(model, result.question.clean, {}, capture));
    const auto corrupted = require(runModel(model, result.question.corrupted, {}, capture));
    const Tensor& a = clean->captured.at(outputOf(writer));
    const Tensor& b = corrupted->captured.at(outputOf(writer));
    const bool is_head = writer.kind == WriterKind::Head;
    const std::size_t place = is_head ? model->spec.headPlace(writer.of) : 0;
    HookSet hooks;
    hooks.edit(inputOf(receiver, model->spec), [&](HookPoint, const MutableTensorView& value) {
        for (std::size_t p = 0; p < value.shape[0]; ++p)
            for (std::size_t c = 0; c < value.shape.back(); ++c) {
                float& element = value.rank() == 3 ? value(p, receiver.place, c) : value(p, c);
                element += share * (elementAt(b, p, place, c) - elementAt(a, p, place, c));
            }
    });
    const auto run = require(runModel(model, result.question.clean, {}, hooks));
    const std::size_t last = result.question.clean.size() - 1;
    return static_cast<double>(run->logits(last, 7)) - static_cast<double>(run->logits(last, 31));
}

std::vector<Edge> someEdges(const EdgeResult& result) {
    std::vector<Edge> edges = result.best(10);
    const std::size_t last = result.receivers.size() - 1;
    edges.push_back({0, 0});
    edges.push_back({result.receivers[last].writers - 1, last});
    return edges;
}

void addFamilies() {
    QTest::addColumn<QString>("name");
    for (const char* name :
         {"gpt2", "llama-gqa", "gptj", "gpt_neox", "cohere", "bloom", "granite", "falcon-grouped"})
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
        constexpr float kStep = 0.03f;
        for (const Edge edge : someEdges(result)) {
            const double slope =
                (changedBy(model, result, edge, kStep) - changedBy(model, result, edge, -kStep)) /
                (2.0 * static_cast<double>(kStep));
            QVERIFY2(
                std::abs(slope - static_cast<double>(result.score(edge))) <= 0.02 * largest + 2e-5,
                qPrintable(QStringLiteral("%1 in place of %2").arg(result.score(edge)).arg(slope)));
        }
    }

    /// What a node adds reaches the metric along its edges alone, so its slope is their sum.
    void edgesOfANodeAddUpToItsOwnAttribution_data() { addFamilies(); }
    void edgesOfANodeAddUpToItsOwnAttribution() {
        QFETCH(QString, name);
        const auto model = loadFixture(name.toStdString());
        const EdgeResult result = require(attributeEdges(model, edgeQuestion()));
        PatchQuestion nodes; // its slope is taken in the run of `corrupted`
        nodes.clean = edgeQuestion().corrupted;
        nodes.corrupted = edgeQuestion().clean;
        nodes.metric = edgeQuestion().metric;
        nodes.method = EffectMethod::Gradient;
        for (const WriterKind kind : {WriterKind::Head, WriterKind::Mlp}) {
            nodes.hook = kind == WriterKind::Head ? HookKind::Result : HookKind::MlpOut;
            nodes.by_head = kind == WriterKind::Head;
            nodes.by_position = false;
            const PatchResult found = require(patchActivations(model, nodes));
            for (std::size_t w = 0; w < result.writers.size(); ++w) {
                const StreamWriter& writer = result.writers[w];
                if (writer.kind != kind)
                    continue;
                double sum = 0.0;
                for (std::size_t r = 0; r < result.receivers.size(); ++r)
                    if (w < result.receivers[r].writers)
                        sum += static_cast<double>(result.scores(w, r));
                const double expected =
                    found.values[found.index(writer.of.layer, 0, writer.of.head)] - found.corrupted;
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
                    .message.starts_with("This network normalises what its heads add"));
    }

    void edgesCanBeCancelled() {
        std::stop_source source;
        source.request_stop();
        const auto result = attributeEdges(loadFixture("gpt2"), edgeQuestion(), source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }
};

const headscope::test::TestRegistration<TestEdgeAttribution> registration;
#include "test_edge_attribution.moc"
