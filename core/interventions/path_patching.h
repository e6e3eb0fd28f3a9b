#pragma once

#include "core/base/layer_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"
#include "core/model/model_spec.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class AttentionInput { Q, K, V };

/// What a head reads: its queries, or the keys or values of its KV group, which then reach all
/// heads of the group.
struct Receiver {
    LayerHead head;
    AttentionInput input = AttentionInput::Q;
};

/// "5.3:q", with q, k or v
Result<Receiver> parseReceiver(std::string_view text, const ModelSpec& spec);
/// "5.3:q,6.0:k" → receivers in this order; none for "logits".
Result<std::vector<Receiver>> parseReceivers(const std::string& text, const ModelSpec& spec);
/// "0.1,0.2" → senders by layer and head, each once; none for "all". Fails for an empty text.
Result<std::vector<LayerHead>> parseSenders(const std::string& text, const ModelSpec& spec);
std::string receiverText(const Receiver& receiver);
/// "1.0:k 1.3:k", or "logits" for none
std::string receiversText(const std::vector<Receiver>& receivers);

/// What flows from one head straight to others or to the logits.
struct PathQuestion {
    TokenIds original;
    TokenIds other;                  ///< of the same length; senders speak as they do here
    std::vector<LayerHead> senders;  ///< one at a time; empty: every head before the receivers
    std::vector<Receiver> receivers; ///< all at once; empty: the logits
    /// Targets and the reference of Kl are those of the original prompt.
    Metric metric;
};

struct PathResult {
    PathQuestion question;      ///< with the senders that were run
    double original = 0.0;      ///< the metric of the original prompt
    double other = 0.0;         ///< and of the other one
    std::vector<double> values; ///< one per sender

    /// (value − original) / (other − original): 0 where nothing flows along the path. NaN when the
    /// two prompts do not differ.
    double normalised(std::size_t sender) const;
    /// Why the normalised values do not exist, one sentence; empty when they do.
    std::string note() const;
};

/// Path patching (Wang et al. 2022, "Interpretability in the wild", appendix B; Goldowsky-Dill et
/// al. 2023, "Localizing model behavior with path patching"). For each sender:
/// 1. The original prompt is run with the sender's z as in the run of the other prompt and the z
///    of all other heads frozen as in the run of the original one; MLPs and norms are computed
///    again. What the receivers read in this run differs only by what came along the direct path
///    (through the residual stream and MLPs, but no other head), and is recorded.
/// 2. The original prompt is run once more, with nothing changed but the receivers' input, which is
///    what was recorded. The metric of this run is the result.
/// When the logits receive, those of step 1 are measured and there is no step 2.
/// Receivers take their input at hook_q, hook_k and hook_v. Fails when the prompts differ in
/// length, a head does not exist or does not come before all receivers, when the metric does not
/// fit, and with ErrorCode::Cancelled on a stop request.
Result<PathResult> patchPaths(const std::shared_ptr<const Model>& model,
                              const PathQuestion& question, const Progress& progress = {},
                              std::stop_token stop = {});

} // namespace headscope
