#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hooks.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace headscope {

/// Which activations of one prompt bring another prompt's run back to it. Exact: activation
/// patching, or causal tracing (Vig et al. 2020; Meng et al. 2022). The corrupted prompt is run
/// again and again; each time one activation is replaced by what it is in the clean prompt's run.
/// Gradient: attribution patching (Nanda 2023), which estimates the same by Σ d metric / d value ·
/// (clean − corrupted) from one reverse pass of the corrupted prompt.
struct PatchQuestion {
    TokenIds clean;
    TokenIds corrupted; ///< of the same length
    HookKind hook = HookKind::ResidPre;
    bool by_position = false; ///< one position at a time (of patterns and scores one query), or all
    bool by_head = false;     ///< one head at a time, or all; only at hook points with heads
    /// Targets and the reference of Kl are those of the clean prompt.
    Metric metric;
    EffectMethod method = EffectMethod::Exact;
};

/// Values [point, position, head]; the last two are 1 unless the question goes by them. Layers
/// without such a point are left out, and hook points outside the blocks count as one layer.
struct PatchResult {
    PatchQuestion question;
    double clean = 0.0;            ///< the metric of the clean run
    double corrupted = 0.0;        ///< and of the corrupted one
    std::vector<HookPoint> points; ///< of each layer that has one
    std::size_t positions = 0;
    std::size_t heads = 0; ///< by number, up to the last; KV heads where the hook point has them
    std::vector<double> values; ///< NaN for heads that were removed from their layer

    std::size_t layers() const { return points.size(); }
    std::size_t index(std::size_t layer, std::size_t position, std::size_t head) const {
        return (layer * positions + position) * heads + head;
    }
    /// (patched − corrupted) / (clean − corrupted): 0 where the patch changes nothing, 1 where it
    /// restores all. NaN when clean and corrupted do not differ.
    double normalised(std::size_t index) const;
    /// Why the normalised values do not exist, one sentence; empty when they do.
    std::string note() const;
};

/// Runs resume at the patched layer and go as batches. Fails when the prompts differ in length,
/// when the network has no such hook point or it has no heads to go by, when the metric does not
/// fit, for the gradient of Kl, which is 0, and with ErrorCode::Cancelled on a stop request.
Result<PatchResult> patchActivations(const std::shared_ptr<const Model>& model,
                                     const PatchQuestion& question, const Progress& progress = {},
                                     std::stop_token stop = {});

} // namespace headscope
