#pragma once

#include "core/base/result.h"
#include "core/engine/engine.h"
#include "core/interventions/metric.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace headscope {

/// A run of one prompt with the values at some hook points, from which runs that differ only later
/// resume: they need not begin with the tokens.
struct KeptRun {
    std::shared_ptr<const Run> run;
    double measured = 0.0; ///< NaN without a metric

    /// The value at one of the kept points; shares the run's memory.
    std::shared_ptr<const Tensor> at(HookPoint point) const;

    /// A run that continues this one from its residual stream at `layer`, where ResidPre was kept.
    RunItem from(std::size_t layer) const;
    /// The same with this run's z there, which was kept too: its attention is not computed again.
    RunItem fromZ(std::size_t layer) const;
};

/// Runs `ids` and keeps `points`; as far as the last of them without a metric.
Result<KeptRun> keepRun(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                        const std::set<HookPoint>& points, const PromptMetric* metric,
                        std::stop_token stop);

/// The same, as the reference of a metric that wants one.
Result<KeptRun> keepReferenceRun(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                                 const std::set<HookPoint>& points, PromptMetric& metric,
                                 std::stop_token stop);

/// Hears how many more runs are finished, a batch at a time.
using RunsFinished = std::function<void(std::size_t)>;

/// runBatch for any number of prompts of the same length, as many at a time as is fast and fits
/// into memory.
Result<std::vector<std::shared_ptr<const Run>>>
runInBatches(const std::shared_ptr<const Model>& model, std::span<const RunItem> items,
             const Request& request, const RunsFinished& finished, std::stop_token stop);

/// The metric of each item, run from `first_layer` on.
Result<std::vector<double>> measureRuns(const std::shared_ptr<const Model>& model,
                                        std::vector<RunItem> items, std::size_t first_layer,
                                        const PromptMetric& metric, const RunsFinished& finished,
                                        std::stop_token stop);

/// Fails with both counts unless two prompts, called so, have the same number of tokens: values of
/// one can only replace those of the other position by position.
Result<void> checkSameLength(std::string_view a_name, const TokenIds& a, std::string_view b_name,
                             const TokenIds& b);

/// How many prompts of `positions` tokens make one batch; at least 1.
std::size_t runsPerBatch(const ModelSpec& spec, std::size_t positions);

} // namespace headscope
