#include "core/interventions/edges/edge_runs.h"

#include "core/attribution/frozen_norm.h"
#include "core/engine/block_plan.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace headscope {

namespace {

HookPoint writerPoint(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return {HookKind::Z, writer.of.layer};
    return writer.kind == WriterKind::Mlp ? HookPoint{HookKind::MlpOut, writer.of.layer}
                                          : HookPoint{HookKind::ResidPre, 0};
}

/// The norm after the output of attention in every layer; nothing without one.
std::optional<BlockStep> normBehindHeads(const ModelSpec& spec) {
    const BlockPlan plan = blockPlan(spec, 0);
    const BlockStep* const norm = plan.norm(Branch::Attention, BlockValue::Output);
    return norm ? std::optional(*norm) : std::nullopt;
}

/// to − from, all [row, column] of one shape.
void subtract(MatrixView to, MatrixView from, MutableMatrixView result) {
    for (std::size_t r = 0; r < to.rows; ++r)
        std::transform(to.row(r), to.row(r) + to.cols, from.row(r), result.row(r), std::minus<>());
}

/// z / scale of each position, [position, head, d_head_v].
Tensor dividedByScale(const TensorView& z, const TensorView& scale) {
    Tensor divided = Tensor::uninitialised(z.shape);
    for (std::size_t position = 0; position < z.shape[0]; ++position)
        for (std::size_t head = 0; head < z.shape[1]; ++head)
            for (std::size_t c = 0; c < z.shape[2]; ++c)
                divided(position, head, c) = z(position, head, c) / scale(position, 0);
    return divided;
}

/// What the norm makes of each row of W_O, apart from its scale.
Tensor alongNorm(NormKind kind, const NormWeights& weights, MatrixView W_O) {
    Tensor passed = Tensor::uninitialised({W_O.rows, W_O.cols});
    for (std::size_t r = 0; r < W_O.rows; ++r) {
        std::vector<double> row(W_O.row(r), W_O.row(r) + W_O.cols);
        alongFrozenNorm(kind, weights, 1.0, row);
        std::ranges::transform(row, &passed(r, 0U),
                               [](double value) { return static_cast<float>(value); });
    }
    return passed;
}

} // namespace

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

std::vector<HookPoint> writerPoints(const EdgeResult& result, const ModelSpec& spec) {
    const std::optional<BlockStep> norm = normBehindHeads(spec);
    std::vector<HookPoint> points;
    for (const StreamWriter& writer : result.writers) {
        const HookPoint point = writerPoint(writer);
        if (std::ranges::find(points, point) != points.end())
            continue;
        points.push_back(point);
        if (writer.kind == WriterKind::Head && norm)
            points.push_back({norm->hooks.front(), point.layer});
    }
    return points;
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

WriterDifferences::WriterDifferences(const Model& model, const EdgeResult& result,
                                     const KeptRun& to)
    : model_(model), result_(result), to_(to), norm_(normBehindHeads(model.spec)),
      values_({result.writers.size(), result.question.clean.size() * model.spec.d_model}) {}

void WriterDifferences::take(HookPoint at, const TensorView& from) {
    const auto to = to_.at(at);
    if (at.kind == HookKind::Z && norm_) {
        z_ = copyOf(from);
    } else if (at.kind == HookKind::Z) {
        takeHeads(at.layer, from, to->view());
    } else if (norm_ && at.kind == norm_->hooks.front()) {
        const auto z_to = to_.at({HookKind::Z, at.layer});
        const Tensor scaled_from = dividedByScale(std::as_const(z_).view(), from);
        const Tensor scaled_to = dividedByScale(z_to->view(), to->view());
        takeHeads(at.layer, scaled_from.view(), scaled_to.view());
    } else {
        for (std::size_t writer = 0; writer < result_.writers.size(); ++writer)
            if (writerPoint(result_.writers[writer]) == at)
                subtract(nodeRows(to->view(), 0), nodeRows(from, 0), rowsOf(writer));
    }
}

/// Both are z, or z over the scale of the norm after W_O.
void WriterDifferences::takeHeads(std::size_t layer, const TensorView& z_from,
                                  const TensorView& z_to) {
    const ModelSpec& spec = model_.spec;
    const LayerWeights& weights = model_.weights.layers[layer];
    const std::size_t width = spec.valueDim();
    for (std::size_t writer = 0; writer < result_.writers.size(); ++writer) {
        const StreamWriter& head = result_.writers[writer];
        if (head.kind != WriterKind::Head || head.of.layer != layer)
            continue;
        const std::size_t place = spec.headPlace(head.of);
        Tensor z = Tensor::uninitialised({z_to.shape[0], width});
        subtract(nodeRows(z_to, place), nodeRows(z_from, place), z.matrix());
        const WidenedMatrix W_O(weights.attn.W_O.matrix().rowRange(place * width, width));
        const Tensor passed =
            norm_ ? alongNorm(spec.norm.kind, weights.*norm_->norm, *W_O) : Tensor();
        multiply(std::as_const(z).matrix(), norm_ ? passed.matrix() : *W_O, rowsOf(writer));
    }
}

/// [position, d_model]
MutableMatrixView WriterDifferences::rowsOf(std::size_t writer) {
    const std::size_t d_model = model_.spec.d_model;
    return {&values_(writer, 0U), values_.dim(1) / d_model, d_model, d_model};
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
