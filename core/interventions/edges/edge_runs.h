#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/runs/kept_run.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

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
