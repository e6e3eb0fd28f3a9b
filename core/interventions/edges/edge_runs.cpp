#include "core/interventions/edges/edge_runs.h"

#include "core/interventions/edges/edge_nodes.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace headscope {

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
    const std::vector<HookPoint> written = writerPoints(result, model->spec);
    std::set<HookPoint> points(written.begin(), written.end());
    auto corrupted = keepRun(model, result.question.corrupted, points, &metric, stop);
    if (!corrupted)
        return corrupted.error();
    for (std::size_t layer = 0; layer < model->spec.n_layers; ++layer)
        points.insert({HookKind::ResidPre, layer});
    auto clean = keepRun(model, result.question.clean, points, &metric, stop);
    if (!clean)
        return clean.error();
    WriterDifferences differences(*model, result, *corrupted);
    for (const HookPoint point : written)
        differences.take(point, clean->at(point)->view());
    return EdgeRuns{*std::move(clean), *std::move(corrupted), std::move(differences).values()};
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
