#include "core/interventions/edge_attribution.h"

#include "core/base/layer_head.h"
#include "core/engine/backward.h"
#include "core/engine/block_plan.h"
#include "core/interventions/edges/edge_runs.h"
#include "core/interventions/tokens/reading.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace headscope {

namespace {

Result<void> checkEdges(const ModelSpec& spec, const EdgeQuestion& question) {
    if (blockPlan(spec, 0).normsStream())
        return Error{ErrorCode::Unsupported,
                     "This network normalises its residual stream, so it is no sum of what single "
                     "nodes write and has no edges between them."};
    if (question.metric.kind == MetricKind::Kl)
        return Error{ErrorCode::InvalidArgument,
                     "The slope of KL is 0 at the prompt itself, so there is nothing to score "
                     "edges by; choose another metric."};
    if (question.estimate == EdgeEstimate::Integrated && question.steps == 0)
        return Error{ErrorCode::InvalidArgument,
                     "Integrated slopes need at least one step; give a number above 0."};
    return checkSameLength("The clean prompt", question.clean, "the corrupted one",
                           question.corrupted);
}

/// scores[w, r] += share · Σ differences[w] ⊙ gradient at r; one product for receivers of the same
/// writers.
void addSlopes(const Tensor& differences, const Gradients& gradients, const ModelSpec& spec,
               double share, EdgeResult& result) {
    const std::vector<EdgeReceiver>& receivers = result.receivers;
    for (std::size_t begin = 0, end = 0; begin < receivers.size(); begin = end) {
        const std::size_t writers = receivers[begin].writers;
        while (end < receivers.size() && receivers[end].writers == writers)
            ++end;
        Tensor slopes({end - begin, differences.dim(1)});
        for (std::size_t r = begin; r < end; ++r) {
            const Tensor& at = gradients.hooks.at(receiverPoint(receivers[r], spec));
            const MatrixView rows = nodeRows(at.view(), receivers[r].place);
            for (std::size_t position = 0; position < rows.rows; ++position)
                std::transform(rows.row(position), rows.row(position) + rows.cols,
                               &slopes(r - begin, position * rows.cols),
                               [share](float slope) { return static_cast<float>(share) * slope; });
        }
        multiplyTransposedAdd(
            differences.matrix().rowRange(0, writers), std::as_const(slopes).matrix(),
            result.scores.matrix().rowRange(0, writers).colRange(begin, end - begin));
    }
}

/// The slope where each receiver reads.
BackwardRequest slopesAtReceivers(const EdgeResult& result, const ModelSpec& spec) {
    std::set<HookPoint> read;
    for (const EdgeReceiver& receiver : result.receivers)
        read.insert(receiverPoint(receiver, spec));
    BackwardRequest request;
    std::ranges::copy(read, std::back_inserter(request.hooks));
    return request;
}

/// EdgeEstimate::Slope: the forward pass before the reverse one is the run of the clean prompt.
Result<void> scoreBySlope(const std::shared_ptr<const Model>& model, const PromptMetric& metric,
                          EdgeResult& result, const std::stop_token& stop) {
    const std::vector<HookPoint> points = writerPoints(result, model->spec);
    const auto corrupted =
        keepRun(model, result.question.corrupted, {points.begin(), points.end()}, &metric, stop);
    if (!corrupted)
        return corrupted.error();
    result.corrupted = corrupted->measured;
    WriterDifferences differences(*model, result, *corrupted);
    BackwardRequest request = slopesAtReceivers(result, model->spec);
    for (const HookPoint point : points)
        request.forward.observe(
            point, [&](HookPoint at, const TensorView& value) { differences.take(at, value); });
    const auto gradients = runBackward(
        model, result.question.clean,
        [&](const Tensor& logits) {
            result.clean = metric.value(logits);
            return metric.gradient(logits);
        },
        request, stop);
    if (!gradients)
        return gradients.error();
    addSlopes(differences.values(), *gradients, model->spec, 1.0, result);
    return {};
}

/// EdgeEstimate::Integrated: one reverse pass in the middle of each part of the way from the clean
/// prompt's embeddings to those of the corrupted one.
Result<void> scoreByIntegratedSlopes(const std::shared_ptr<const Model>& model,
                                     const PromptMetric& metric, EdgeResult& result,
                                     const Progress& progress, const std::stop_token& stop) {
    auto runs = runBoth(model, result, metric, stop);
    if (!runs)
        return runs.error();
    result.clean = runs->clean.measured;
    result.corrupted = runs->corrupted.measured;
    const Tensor differences = std::move(runs->differences);
    runs = EdgeRuns(); // the reverse passes need their memory
    BackwardRequest request = slopesAtReceivers(result, model->spec);
    const Tensor clean = tokenEmbeddings(*model, result.question.clean);
    const Tensor corrupted = tokenEmbeddings(*model, result.question.corrupted);
    const std::size_t steps = result.question.steps;
    const double part = 1.0 / static_cast<double>(steps);
    for (std::size_t i = 0; i < steps; ++i) {
        request.embed = onTheWay(clean, corrupted, (static_cast<double>(i) + 0.5) * part);
        const auto gradients = runBackward(
            model, result.question.clean,
            [&](const Tensor& logits) { return metric.gradient(logits); }, request, stop);
        if (!gradients)
            return gradients.error();
        addSlopes(differences, *gradients, model->spec, part, result);
        report(progress, static_cast<double>(i + 1) * part,
               std::to_string(i + 1) + " of " + std::to_string(steps) + " steps");
    }
    return {};
}

/// EdgeEstimate::Recomputed.
Result<void> scoreByRecomputing(const std::shared_ptr<const Model>& model,
                                const PromptMetric& metric, EdgeResult& result,
                                const Progress& progress, const std::stop_token& stop) {
    const auto runs = runBoth(model, result, metric, stop);
    if (!runs)
        return runs.error();
    result.clean = runs->clean.measured;
    result.corrupted = runs->corrupted.measured;
    return recomputeReceivers(model, *runs, metric, result, progress, stop);
}

/// 0 where there is an edge, NaN elsewhere.
Tensor noScores(const EdgeResult& result) {
    Tensor scores({result.writers.size(), result.receivers.size()},
                  std::numeric_limits<float>::quiet_NaN());
    for (std::size_t r = 0; r < result.receivers.size(); ++r)
        for (std::size_t w = 0; w < result.receivers[r].writers; ++w)
            scores(w, r) = 0.0f;
    return scores;
}

} // namespace

std::string_view edgeEstimateName(EdgeEstimate estimate) {
    switch (estimate) {
    case EdgeEstimate::Slope:
        return "slope";
    case EdgeEstimate::Integrated:
        return "integrated";
    case EdgeEstimate::Recomputed:
        return "recomputed";
    }
    return {};
}

std::vector<EdgeEstimate> edgeEstimates() {
    return {EdgeEstimate::Slope, EdgeEstimate::Integrated, EdgeEstimate::Recomputed};
}

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

std::size_t EdgeResult::edgeCount() const {
    std::size_t count = 0;
    for (const EdgeReceiver& receiver : receivers)
        count += receiver.writers;
    return count;
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
                                  const EdgeQuestion& question, const Progress& progress,
                                  std::stop_token stop) {
    const ModelSpec& spec = model->spec;
    if (auto valid = checkEdges(spec, question); !valid)
        return valid.error();
    const auto metric = PromptMetric::make(question.metric, spec, question.clean);
    if (!metric)
        return metric.error();
    EdgeResult result;
    result.question = question;
    findNodes(spec, result);
    result.scores = noScores(result);
    const auto scored = [&] {
        switch (question.estimate) {
        case EdgeEstimate::Integrated:
            return scoreByIntegratedSlopes(model, *metric, result, progress, stop);
        case EdgeEstimate::Recomputed:
            return scoreByRecomputing(model, *metric, result, progress, stop);
        case EdgeEstimate::Slope:
            break;
        }
        return scoreBySlope(model, *metric, result, stop);
    }();
    if (!scored)
        return scored.error();
    return result;
}

} // namespace headscope
