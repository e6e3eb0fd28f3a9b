#pragma once

#include "core/engine/hooks.h"
#include "core/engine/run.h"
#include "core/interventions/edge_attribution.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace headscope::test {

/// Two prompts of six tokens and the difference of two logits at the end.
EdgeQuestion edgeQuestion();
/// The same of a run.
double logitDifference(const Run& run);

/// Rows with a `name` for each way in which blocks are put together.
void addEdgeFamilies();

/// The ten best edges, the first and the last.
std::vector<Edge> someEdges(const EdgeResult& result);

// Where hooks see what nodes write and read.
HookPoint outputOf(const StreamWriter& writer);
HookPoint inputOf(const EdgeReceiver& receiver, const ModelSpec& spec);
/// The norm behind the output of attention: where hooks see its scale, its normalized value and its
/// output; empty without one.
std::vector<HookPoint> normBehindHeads(const ModelSpec& spec, std::size_t layer);

/// All that addedBy() reads.
void captureOutput(HookSet& hooks, const ModelSpec& spec, const StreamWriter& writer);
/// What a writer adds to the stream, [position, d_model]; of a head its result, where a norm (an
/// RMSNorm) follows through the gain that is seen there and with the scale of that run.
Tensor addedBy(const ModelSpec& spec, const Run& run, const StreamWriter& writer);

/// An editor that moves a value so far from one to another of its shape; both must outlive it.
HookSet::Editor moved(const Tensor& from, const Tensor& to, float share);

/// What an edge's writer adds in both prompts, and where its receiver reads it.
class CarriedDifference {
public:
    CarriedDifference(const ModelSpec& spec, const EdgeResult& result, Edge edge, const Run& clean,
                      const Run& corrupted);

    /// Adds `share` of it to what the receiver reads.
    HookSet::Editor added(float share) const;

private:
    std::size_t receiver_;
    Tensor from_;
    Tensor to_;
};

/// The logit difference of the clean run, so far on the way to the corrupted prompt's embeddings,
/// whose receiver reads `share` of the writer's difference more, from the tokens on.
double changedBy(const std::shared_ptr<const Model>& model, const EdgeResult& result, Edge edge,
                 float share, float way = 0.0f);

} // namespace headscope::test
