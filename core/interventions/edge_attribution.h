#pragma once

#include "core/attribution/stream_parts.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/interventions/metric.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

enum class EdgeInput { Q, K, V, Mlp, Logits };

/// A reader of the residual stream, before its norm.
struct EdgeReceiver {
    EdgeInput input = EdgeInput::Logits;
    std::size_t layer = 0;
    std::size_t head = 0;    ///< its number; of K and V that of the KV head
    std::size_t place = 0;   ///< on the head axis
    std::size_t writers = 0; ///< how many come before it: the first ones, each with an edge to it
};

/// "5.3:q", "5.1:k" with the number of the KV head, "mlp 5", "logits"
std::string edgeReceiverText(const EdgeReceiver& receiver);

/// How the change of the metric by each edge is estimated.
enum class EdgeEstimate {
    /// Edge attribution patching (Syed et al. 2023, arXiv 2310.10348): Σ over positions of
    /// (u_corrupted − u_clean) · ∂metric/∂x, with u what the writer adds to the residual stream (of
    /// a head z W_O, without biases; a norm after it has the scale of that prompt's run) and x the
    /// residual stream as the receiver reads it, in the clean run: the change to first order. One
    /// reverse pass.
    Slope,
    /// The same with the slope's mean over the way from the clean prompt's embeddings to those of
    /// the corrupted one (EAP-IG, Hanna et al. 2024, arXiv 2403.17806). One reverse pass per step.
    Integrated,
    /// The receiver is computed again with x + u_corrupted − u_clean, through its norm, its softmax
    /// or its activations, and only what comes after its z (of an MLP its output) is taken to
    /// first order; at the logits nothing is. It takes the correction of AtP* for queries and keys
    /// (Kramár et al. 2024, arXiv 2403.00745) to every kind of receiver. A run through one layer
    /// for each writer and kind of receiver.
    Recomputed,
};

/// "slope", "integrated", "recomputed"
std::string_view edgeEstimateName(EdgeEstimate estimate);

/// All of them, in this order.
std::vector<EdgeEstimate> edgeEstimates();

/// What flows along each edge from one node to another.
struct EdgeQuestion {
    TokenIds clean;
    TokenIds corrupted; ///< of the same length
    /// Targets are those of the clean prompt.
    Metric metric;
    EdgeEstimate estimate = EdgeEstimate::Slope;
    std::size_t steps = 5; ///< of Integrated, at least 1: the middles of equal parts of the way
};

struct Edge {
    std::size_t writer = 0;   ///< index in EdgeResult::writers
    std::size_t receiver = 0; ///< index in EdgeResult::receivers
};

struct EdgeResult {
    EdgeQuestion question;
    /// In the order in which they write: Embedding, with the positions; Head; Mlp.
    std::vector<StreamWriter> writers;
    std::vector<EdgeReceiver> receivers; ///< in the order in which they read
    double clean = 0.0;                  ///< the metric of the clean prompt
    double corrupted = 0.0;              ///< and of the corrupted one
    /// [writer, receiver], in units of the metric; NaN where there is no edge.
    Tensor scores;

    /// How many there are.
    std::size_t edgeCount() const;
    float score(Edge edge) const { return scores(edge.writer, edge.receiver); }
    /// The edges of largest |score|, at most `count`, largest first.
    std::vector<Edge> best(std::size_t count) const;
};

/// How the metric changes when an edge alone carries the corrupted prompt, estimated for all edges.
/// Needs what every head adds in both prompts and the gradients of all inputs, 4 · position ·
/// d_model bytes for each. Fails when the prompts differ in length, the metric does not fit or is
/// Kl, whose slope is 0, without steps, for networks with norms on the stream, which is no sum of
/// what nodes add, and with ErrorCode::Cancelled on a stop request.
Result<EdgeResult> attributeEdges(const std::shared_ptr<const Model>& model,
                                  const EdgeQuestion& question, const Progress& progress = {},
                                  std::stop_token stop = {});

} // namespace headscope
