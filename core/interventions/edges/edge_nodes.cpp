#include "core/interventions/edges/edge_nodes.h"

#include "core/engine/block_plan.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

namespace headscope {

HookPoint writerPoint(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return {HookKind::Z, writer.of.layer};
    return writer.kind == WriterKind::Mlp ? HookPoint{HookKind::MlpOut, writer.of.layer}
                                          : HookPoint{HookKind::ResidPre, 0};
}

std::set<HookPoint> writerPoints(const EdgeResult& result) {
    std::set<HookPoint> points;
    for (const StreamWriter& writer : result.writers)
        points.insert(writerPoint(writer));
    return points;
}

void differenceBetween(const Model& model, const StreamWriter& writer, const TensorView& from,
                       const TensorView& to, std::span<float> difference) {
    const bool is_head = writer.kind == WriterKind::Head;
    const std::size_t place = is_head ? model.spec.headPlace(writer.of) : 0;
    const MatrixView a = nodeRows(from, place);
    const MatrixView b = nodeRows(to, place);
    Tensor made({a.rows, a.cols});
    for (std::size_t position = 0; position < a.rows; ++position)
        std::transform(b.row(position), b.row(position) + a.cols, a.row(position),
                       made.matrix().row(position), std::minus<>());
    if (!is_head) {
        std::ranges::copy(made.values(), difference.begin());
        return;
    }
    const std::size_t d_model = model.spec.d_model;
    multiply(
        std::as_const(made).matrix(),
        model.weights.layers[writer.of.layer].attn.W_O.matrix().rowRange(place * a.cols, a.cols),
        {difference.data(), a.rows, d_model, d_model});
}

HookPoint receiverPoint(const EdgeReceiver& receiver, const ModelSpec& spec) {
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
    return residualAt(spec, spec.n_layers);
}

void findNodes(const ModelSpec& spec, EdgeResult& result) {
    const std::vector<HookPoint> points = hookPoints(spec);
    result.writers.push_back({WriterKind::Embedding});
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        const std::size_t before = result.writers.size();
        for (const auto& [input, kind] :
             {std::pair(EdgeInput::Q, HookKind::QInput), std::pair(EdgeInput::K, HookKind::KInput),
              std::pair(EdgeInput::V, HookKind::VInput)}) {
            const std::vector<std::size_t> heads = headsAt(spec, {kind, layer});
            for (std::size_t place = 0; place < heads.size(); ++place)
                result.receivers.push_back({input, layer, heads[place], place, before});
        }
        for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
            result.writers.push_back({WriterKind::Head, spec.headAt(layer, place)});
        if (std::ranges::find(points, HookPoint{HookKind::MlpIn, layer}) == points.end())
            continue;
        const bool reads_heads =
            std::ranges::find(points, HookPoint{HookKind::ResidMid, layer}) != points.end();
        result.receivers.push_back(
            {EdgeInput::Mlp, layer, 0, 0, reads_heads ? result.writers.size() : before});
        result.writers.push_back({WriterKind::Mlp, {layer, 0}});
    }
    result.receivers.push_back({EdgeInput::Logits, spec.n_layers, 0, 0, result.writers.size()});
}

HookSet::Editor EdgeRuns::added(std::size_t writer) const {
    return [this, writer](HookPoint, const MutableTensorView& value) {
        const MatrixView all = differences.matrix();
        const std::size_t heads = value.rank() == 3 ? value.shape[1] : 1;
        for (std::size_t head = 0; head < heads; ++head) {
            const MutableMatrixView rows = nodeRows(value, head);
            addInto(rows, {all.row(writer), rows.rows, rows.cols, rows.cols});
        }
    };
}

Result<EdgeRuns> runBoth(const std::shared_ptr<const Model>& model, const EdgeResult& result,
                         const PromptMetric& metric, std::stop_token stop) {
    std::set<HookPoint> points = writerPoints(result);
    auto corrupted = keepRun(model, result.question.corrupted, points, &metric, stop);
    if (!corrupted)
        return corrupted.error();
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        points.insert({HookKind::ResidPre, layer});
    auto clean = keepRun(model, result.question.clean, points, &metric, stop);
    if (!clean)
        return clean.error();
    const std::size_t width = result.question.clean.size() * model->spec.d_model;
    Tensor differences({result.writers.size(), width});
    for (std::size_t i = 0; i < result.writers.size(); ++i) {
        const HookPoint point = writerPoint(result.writers[i]);
        differenceBetween(*model, result.writers[i], clean->at(point)->view(),
                          corrupted->at(point)->view(), {&differences(i, 0u), width});
    }
    return EdgeRuns{*std::move(clean), *std::move(corrupted), std::move(differences)};
}

Result<std::vector<double>> measureEdges(const std::shared_ptr<const Model>& model,
                                         const EdgeResult& result, const EdgeRuns& runs,
                                         std::span<const Edge> edges, const PromptMetric& metric,
                                         const Progress& progress, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    std::map<std::size_t, std::vector<std::size_t>> by_layer;
    for (std::size_t i = 0; i < edges.size(); ++i)
        by_layer[std::min(result.receivers[edges[i].receiver].layer, spec.n_layers - 1)].push_back(
            i);
    std::vector<double> changes(edges.size());
    std::size_t finished = 0;
    const auto count = [&](std::size_t more) {
        finished += more;
        report(progress, static_cast<double>(finished) / static_cast<double>(edges.size()),
               std::to_string(finished) + " of " + std::to_string(edges.size()) + " edges");
    };
    for (const auto& [layer, indices] : by_layer) {
        std::vector<RunItem> items;
        items.reserve(indices.size());
        for (const std::size_t i : indices) {
            const EdgeReceiver& receiver = result.receivers[edges[i].receiver];
            const HookPoint point = receiverPoint(receiver, spec);
            RunItem item = runs.clean.from(layer);
            item.hooks.edit(point, runs.added(edges[i].writer),
                            headAxis(spec, point.kind) ? HookSet::Head(receiver.place)
                                                       : std::nullopt);
            items.push_back(std::move(item));
        }
        const auto values = measureRuns(model, std::move(items), layer, metric, count, stop);
        if (!values)
            return values.error();
        for (std::size_t i = 0; i < indices.size(); ++i)
            changes[indices[i]] = (*values)[i] - runs.clean.measured;
    }
    return changes;
}

} // namespace headscope
