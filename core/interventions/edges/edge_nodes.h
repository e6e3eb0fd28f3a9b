#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/runs/kept_run.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// Where hooks see what a writer makes: of a head its z, otherwise what it adds to the residual
/// stream.
HookPoint writerPoint(const StreamWriter& writer);

/// Those of all writers.
std::set<HookPoint> writerPoints(const EdgeResult& result);

/// u_to − u_from [position · d_model], of a head (z_to − z_from) W_O, from the values of two runs
/// at its hook point.
void differenceBetween(const Model& model, const StreamWriter& writer, const TensorView& from,
                       const TensorView& to, std::span<float> difference);

/// Where hooks see the residual stream as a receiver reads it.
HookPoint receiverPoint(const EdgeReceiver& receiver, const ModelSpec& spec);

/// The nodes of the network in the order in which they read and write.
void findNodes(const ModelSpec& spec, EdgeResult& result);

/// One head's [position, width] of [position, head, width], or all of [position, width].
template <class T>
BasicMatrixView<T> nodeRows(const BasicTensorView<T>& value, std::size_t place) {
    T* const first = value.data + (value.rank() == 3 ? place * value.strides[1] : 0);
    return {first, value.shape.front(), value.shape.back(), value.strides.front()};
}

/// Runs of both prompts, with what every writer adds in each.
struct EdgeRuns {
    KeptRun clean; ///< with z and the residual stream before every layer
    KeptRun corrupted;
    Tensor differences; ///< u_corrupted − u_clean, [writer, position · d_model]

    /// Adds a writer's difference to what one receiver reads, or all heads that read there.
    HookSet::Editor added(std::size_t writer) const;
};

/// `result` has its question and nodes.
Result<EdgeRuns> runBoth(const std::shared_ptr<const Model>& model, const EdgeResult& result,
                         const PromptMetric& metric, std::stop_token stop);

/// What patchEdges() finds, from runs that are there.
Result<std::vector<double>> measureEdges(const std::shared_ptr<const Model>& model,
                                         const EdgeResult& result, const EdgeRuns& runs,
                                         std::span<const Edge> edges, const PromptMetric& metric,
                                         const Progress& progress, std::stop_token stop);

/// EdgeEstimate::Recomputed: fills `result.scores`, which is 0 where there is an edge.
Result<void> recomputeReceivers(const std::shared_ptr<const Model>& model, const EdgeRuns& runs,
                                const PromptMetric& metric, EdgeResult& result,
                                const Progress& progress, std::stop_token stop);

} // namespace headscope
