#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/engine/block_plan.h"
#include "core/engine/hooks.h"
#include "core/interventions/edge_attribution.h"
#include "core/interventions/runs/kept_run.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace headscope {

/// The nodes of the network in the order in which they read and write.
void findNodes(const ModelSpec& spec, EdgeResult& result);

/// Where hooks see what writers make, in the order in which WriterDifferences takes them: of heads
/// their z, and the scale of the norm after the output of attention where there is one; of others
/// what they add to the residual stream.
std::vector<HookPoint> writerPoints(const EdgeResult& result, const ModelSpec& spec);

/// Where hooks see the residual stream as a receiver reads it.
HookPoint receiverPoint(const EdgeReceiver& receiver, const ModelSpec& spec);

/// One head's [position, width] of [position, head, width], or all of [position, width].
template <class T>
BasicMatrixView<T> nodeRows(const BasicTensorView<T>& value, std::size_t place) {
    T* const first = value.data + (value.rank() == 3 ? place * value.strides[1] : 0);
    return {first, value.shape.front(), value.shape.back(), value.strides.front()};
}

/// What each writer adds to the residual stream in one run less what it adds in another, from the
/// values that hooks see: of heads z W_O, without biases. A norm after the output of attention is
/// taken with the scale that it has in the run, so that it passes each head's part on by itself and
/// the parts are a sum in either run.
class WriterDifferences {
public:
    /// `to` has kept writerPoints(); all must outlive this.
    WriterDifferences(const Model& model, const EdgeResult& result, const KeptRun& to);

    /// A value of the run `from` at the next of writerPoints().
    void take(HookPoint at, const TensorView& from);

    /// u_to − u_from, [writer, position · d_model]; 0 where nothing was taken yet.
    const Tensor& values() const& { return values_; }
    Tensor values() && { return std::move(values_); }

private:
    void takeHeads(std::size_t layer, const TensorView& z_from, const TensorView& z_to);
    MutableMatrixView rowsOf(std::size_t writer);

    const Model& model_;
    const EdgeResult& result_;
    const KeptRun& to_;
    std::optional<BlockStep> norm_; ///< after the output of attention
    Tensor values_;
    Tensor z_; ///< of the layer whose scale comes next
};

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
