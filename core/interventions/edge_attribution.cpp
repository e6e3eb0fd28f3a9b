#include "core/interventions/edge_attribution.h"

#include "core/base/layer_head.h"
#include "core/engine/backward.h"
#include "core/engine/block_plan.h"
#include "core/interventions/edges/edge_nodes.h"
#include "core/interventions/tokens/embeddings.h"
#include "core/tensor/gemm.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace headscope {

namespace {

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

/// Fills the scores by one reverse pass at each share of the way from the clean prompt's embeddings
/// to those of the corrupted one.
Result<void> scoreBySlopes(const std::shared_ptr<const Model>& model, const Tensor& differences,
                           const PromptMetric& metric, std::span<const double> shares,
                           EdgeResult& result, const Progress& progress,
                           const std::stop_token& stop) {
    const ModelSpec& spec = model->spec;
    BackwardRequest request;
    std::set<HookPoint> read;
    for (const EdgeReceiver& receiver : result.receivers)
        read.insert(receiverPoint(receiver, spec));
    std::ranges::copy(read, std::back_inserter(request.hooks));
    const Tensor clean = tokenEmbeddings(*model, result.question.clean);
    const Tensor corrupted = tokenEmbeddings(*model, result.question.corrupted);
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (shares[i] > 0.0)
            request.embed = onTheWay(clean, corrupted, shares[i]);
        const auto gradients = runBackward(
            model, result.question.clean,
            [&](const Tensor& logits) { return metric.gradient(logits); }, request, stop);
        if (!gradients)
            return gradients.error();
        addSlopes(differences, *gradients, spec, 1.0 / static_cast<double>(shares.size()), result);
        report(progress, static_cast<double>(i + 1) / static_cast<double>(shares.size()),
               std::to_string(i + 1) + " of " + std::to_string(shares.size()) + " steps");
    }
    return {};
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
    const bool recomputes = question.estimate == EdgeEstimate::Recomputed;
    std::set<HookPoint> more;
    for (std::size_t layer = 0; recomputes && layer < spec.n_layers; ++layer)
        more.insert({HookKind::Z, layer});
    auto runs = runBoth(model, result, *metric, more, stop);
    if (!runs)
        return runs.error();
    result.clean = runs->clean.measured;
    result.corrupted = runs->corrupted.measured;
    result.scores = noScores(result);
    if (recomputes) {
        if (auto scored = recomputeReceivers(model, *runs, *metric, result, progress, stop);
            !scored)
            return scored.error();
        return result;
    }
    const Tensor differences = std::move(runs->differences);
    runs = EdgeRuns(); // the reverse passes need their memory
    std::vector<double> shares{0.0};
    if (question.estimate == EdgeEstimate::Integrated) {
        shares.resize(question.steps);
        for (std::size_t i = 0; i < shares.size(); ++i)
            shares[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(shares.size());
    }
    const auto scored = scoreBySlopes(model, differences, *metric, shares, result, progress, stop);
    if (!scored)
        return scored.error();
    return result;
}

} // namespace headscope
