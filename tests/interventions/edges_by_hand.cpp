#include "tests/interventions/edges_by_hand.h"

#include "core/engine/block_plan.h"
#include "core/engine/engine.h"
#include "tests/support/models.h"
#include "tests/support/runner.h"

#include <QTest>

namespace headscope::test {

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

std::vector<HookPoint> normBehindHeads(const ModelSpec& spec, std::size_t layer) {
    const BlockPlan plan = blockPlan(spec, layer);
    const BlockStep* norm = plan.norm(Branch::Attention, BlockValue::Output);
    std::vector<HookPoint> points;
    if (norm)
        for (const HookKind kind : norm->hooks)
            points.push_back({kind, layer});
    return points;
}

void captureOutput(HookSet& hooks, const ModelSpec& spec, const StreamWriter& writer) {
    hooks.capture(outputOf(writer));
    if (writer.kind == WriterKind::Head)
        for (const HookPoint point : normBehindHeads(spec, writer.of.layer))
            hooks.capture(point);
}

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

CarriedDifference::CarriedDifference(const ModelSpec& spec, const EdgeResult& result, Edge edge,
                                     const Run& clean, const Run& corrupted)
    : receiver_(result.receivers[edge.receiver].place),
      from_(addedBy(spec, clean, result.writers[edge.writer])),
      to_(addedBy(spec, corrupted, result.writers[edge.writer])) {}

HookSet::Editor CarriedDifference::added(float share) const {
    return [*this, share](HookPoint, const MutableTensorView& value) {
        for (std::size_t p = 0; p < value.shape[0]; ++p)
            for (std::size_t c = 0; c < value.shape.back(); ++c) {
                float& element = value.rank() == 3 ? value(p, receiver_, c) : value(p, c);
                element += share * (to_(p, c) - from_(p, c));
            }
    };
}

double changedBy(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
                 float share, float way) {
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

std::vector<Edge> someEdges(const EdgeResult& result) {
    std::vector<Edge> edges = result.best(10);
    const std::size_t last = result.receivers.size() - 1;
    edges.push_back({0, 0});
    edges.push_back({result.receivers[last].writers - 1, last});
    return edges;
}

void addEdgeFamilies() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"gpt2", "llama-gqa", "gptj", "gpt_neox", "cohere", "bloom", "granite",
                             "falcon-grouped", "gemma2", "gemma3", "olmo2"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

} // namespace headscope::test
