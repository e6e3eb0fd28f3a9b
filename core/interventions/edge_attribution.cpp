#include "core/interventions/edge_attribution.h"

#include "core/base/layer_head.h"
#include "core/engine/backward.h"
#include "core/engine/block_plan.h"
#include "core/interventions/runs/kept_run.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace headscope {

namespace {

HookPoint writerPoint(const StreamWriter& writer) {
    if (writer.kind == WriterKind::Head)
        return {HookKind::Result, writer.of.layer};
    return writer.kind == WriterKind::Mlp ? HookPoint{HookKind::MlpOut, writer.of.layer}
                                          : HookPoint{HookKind::ResidPre, 0};
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

/// One head's [position, d_model] of [position, head, d_model], or all of [position, d_model].
MatrixView nodeRows(const Tensor& value, std::size_t place) {
    const std::size_t d_model = value.shape().back();
    const std::size_t stride = value.size() / value.dim(0);
    return {value.values().data() + place * d_model, value.dim(0), d_model, stride};
}

/// The nodes of the network in the order in which they read and write.
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

std::set<HookPoint> writerPoints(const EdgeResult& result) {
    std::set<HookPoint> points;
    for (const StreamWriter& writer : result.writers)
        points.insert(writerPoint(writer));
    return points;
}

/// u_corrupted − u_clean, [writer, position · d_model].
Tensor nodeDifferences(const ModelSpec& spec, const std::vector<StreamWriter>& writers,
                       const KeptRun& clean, const KeptRun& corrupted) {
    const Tensor& stream = *clean.at({HookKind::ResidPre, 0});
    Tensor differences({writers.size(), stream.size()});
    for (std::size_t i = 0; i < writers.size(); ++i) {
        const HookPoint point = writerPoint(writers[i]);
        const auto from = clean.at(point);
        const auto to = corrupted.at(point);
        const bool is_head = writers[i].kind == WriterKind::Head;
        const std::size_t place = is_head ? spec.headPlace(writers[i].of) : 0;
        const MatrixView a = nodeRows(*from, place);
        const MatrixView b = nodeRows(*to, place);
        for (std::size_t position = 0; position < stream.dim(0); ++position)
            std::transform(b.row(position), b.row(position) + stream.dim(1), a.row(position),
                           &differences(i, position * stream.dim(1)), std::minus<>());
    }
    return differences;
}

Result<void> checkEdges(const ModelSpec& spec, const EdgeQuestion& question) {
    const BlockPlan plan = blockPlan(spec);
    if (plan.normsStream() || plan.norm(Branch::Attention, BlockValue::Output))
        return Error{ErrorCode::Unsupported,
                     "This network normalises what its heads add to the residual stream, so it is "
                     "no sum of what single nodes write and has no edges between them."};
    if (question.metric.kind == MetricKind::Kl)
        return Error{ErrorCode::InvalidArgument,
                     "The slope of KL is 0 at the prompt itself, so there is nothing to score "
                     "edges by; choose another metric."};
    return checkSameLength("The clean prompt", question.clean, "the corrupted one",
                           question.corrupted);
}

/// scores[w, r] = Σ differences[w] ⊙ gradient at r; one product for receivers of the same writers.
void scoreReceivers(const Tensor& differences, const Gradients& gradients, const ModelSpec& spec,
                    EdgeResult& result) {
    const std::vector<EdgeReceiver>& receivers = result.receivers;
    result.scores = Tensor({result.writers.size(), receivers.size()});
    std::ranges::fill(result.scores.values(), std::numeric_limits<float>::quiet_NaN());
    for (std::size_t begin = 0, end = 0; begin < receivers.size(); begin = end) {
        const std::size_t writers = receivers[begin].writers;
        while (end < receivers.size() && receivers[end].writers == writers)
            ++end;
        Tensor slopes({end - begin, differences.dim(1)});
        for (std::size_t r = begin; r < end; ++r) {
            const Tensor& at = gradients.hooks.at(receiverPoint(receivers[r], spec));
            const MatrixView rows = nodeRows(at, receivers[r].place);
            for (std::size_t position = 0; position < rows.rows; ++position)
                std::copy_n(rows.row(position), rows.cols,
                            &slopes(r - begin, position * rows.cols));
        }
        multiplyTransposed(
            1.0f, differences.matrix().rowRange(0, writers), slopes.matrix(),
            result.scores.matrix().rowRange(0, writers).colRange(begin, end - begin));
    }
}

/// The clean run with an edge's difference added to what its receiver reads.
RunItem carrying(const KeptRun& clean, const std::shared_ptr<const Tensor>& differences,
                 const EdgeReceiver& receiver, const ModelSpec& spec, std::size_t writer) {
    RunItem item = clean.from(std::min(receiver.layer, spec.n_layers - 1));
    const HookPoint point = receiverPoint(receiver, spec);
    const auto add = [differences, writer](HookPoint, const MutableTensorView& value) {
        const float* difference = differences->matrix().row(writer);
        const std::size_t d_model = value.shape.back();
        for (std::size_t position = 0; position < value.shape[0]; ++position)
            for (std::size_t c = 0; c < d_model; ++c)
                value.data[position * value.strides.front() + c * value.strides.back()] +=
                    *difference++;
    };
    item.hooks.edit(point, add,
                    headAxis(spec, point.kind) ? HookSet::Head(receiver.place) : std::nullopt);
    return item;
}

} // namespace

std::string edgeReceiverText(const EdgeReceiver& receiver) {
    const std::string head = headText({receiver.layer, receiver.head});
    switch (receiver.input) {
    case EdgeInput::Q:
        return head + ":q";
    case EdgeInput::K:
        return head + ":k";
    case EdgeInput::V:
        return head + ":v";
    case EdgeInput::Mlp:
        return "mlp " + std::to_string(receiver.layer);
    case EdgeInput::Logits:
        break;
    }
    return "logits";
}

std::vector<Edge> EdgeResult::best(std::size_t count) const {
    std::vector<Edge> edges;
    for (std::size_t r = 0; r < receivers.size(); ++r)
        for (std::size_t w = 0; w < receivers[r].writers; ++w)
            edges.push_back({w, r});
    std::ranges::stable_sort(edges, std::greater<>(),
                             [this](Edge edge) { return std::abs(score(edge)); });
    edges.resize(std::min(count, edges.size()));
    return edges;
}

Result<EdgeResult> attributeEdges(const std::shared_ptr<const Model>& model,
                                  const EdgeQuestion& question, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    if (auto valid = checkEdges(spec, question); !valid)
        return valid.error();
    const auto metric = PromptMetric::make(question.metric, spec, question.clean);
    if (!metric)
        return metric.error();
    EdgeResult result;
    result.question = question;
    findNodes(spec, result);
    const std::set<HookPoint> points = writerPoints(result);
    const auto clean = keepRun(model, question.clean, points, &*metric, stop);
    if (!clean)
        return clean.error();
    const auto corrupted = keepRun(model, question.corrupted, points, &*metric, stop);
    if (!corrupted)
        return corrupted.error();
    BackwardRequest request;
    std::set<HookPoint> read;
    for (const EdgeReceiver& receiver : result.receivers)
        read.insert(receiverPoint(receiver, spec));
    std::ranges::copy(read, std::back_inserter(request.hooks));
    const auto gradients = runBackward(
        model, question.clean, [&](const Tensor& logits) { return metric->gradient(logits); },
        request, stop);
    if (!gradients)
        return gradients.error();
    result.clean = clean->measured;
    result.corrupted = corrupted->measured;
    scoreReceivers(nodeDifferences(spec, result.writers, *clean, *corrupted), *gradients, spec,
                   result);
    return result;
}

Result<std::vector<double>> patchEdges(const std::shared_ptr<const Model>& model,
                                       const EdgeResult& result, std::span<const Edge> edges,
                                       const Progress& progress, std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    const auto metric = PromptMetric::make(result.question.metric, spec, result.question.clean);
    if (!metric)
        return metric.error();
    std::set<HookPoint> points = writerPoints(result);
    const auto corrupted = keepRun(model, result.question.corrupted, points, &*metric, stop);
    if (!corrupted)
        return corrupted.error();
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer)
        points.insert({HookKind::ResidPre, layer});
    const auto clean = keepRun(model, result.question.clean, points, &*metric, stop);
    if (!clean)
        return clean.error();
    const auto differences =
        std::make_shared<const Tensor>(nodeDifferences(spec, result.writers, *clean, *corrupted));
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
        for (const std::size_t i : indices)
            items.push_back(carrying(*clean, differences, result.receivers[edges[i].receiver], spec,
                                     edges[i].writer));
        const auto values = measureRuns(model, std::move(items), layer, *metric, count, stop);
        if (!values)
            return values.error();
        for (std::size_t i = 0; i < indices.size(); ++i)
            changes[indices[i]] = (*values)[i] - clean->measured;
    }
    return changes;
}

} // namespace headscope
