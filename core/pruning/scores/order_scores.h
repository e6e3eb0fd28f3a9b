#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/measure/head_statistics.h"
#include "core/pruning/passages.h"
#include "core/tensor/tensor.h"

#include <cstdint>
#include <memory>
#include <stop_token>

namespace headscope {

/// d Σ −ln p(token) / d logits over the targets of a passage, times `scale`.
Tensor lossGradient(const Tensor& logits, const Passage& passage, double scale);

/// Mean over the passages of |∂ loss / ∂ ξ|, where ξ = 1 multiplies z of a head and the loss is the
/// mean over the passage's targets, nats (Michel et al. 2019, equation 2).
Result<PerHead<double>> gateGradients(const std::shared_ptr<const Model>& model,
                                      const PassageSet& text, const Progress& progress,
                                      const std::stop_token& stop);

/// To second order, the KL from the network to itself without one head, nats per target: half the
/// diagonal of the Fisher information of the gates, ½ E[(∂ ln p(y) / ∂ ξ)²] with y drawn from the
/// network itself, so that no labels are needed (the first derivative of KL is 0 there; Kullback
/// 1959, chapter 2). Tokens are drawn from the seed, some times for each passage.
Result<PerHead<double>> gateDivergences(const std::shared_ptr<const Model>& model,
                                        const PassageSet& text, std::uint64_t seed,
                                        const Progress& progress, const std::stop_token& stop);

// Scores of heads from weights and moments of z; the least goes first.

/// ‖W_V W_O‖ (Frobenius) of each head.
PerHead<double> weightNorms(const Model& model);

/// Mean ‖z W_O‖ over the mean of the layer: the output norm by which dormant heads are told
/// (arXiv 2504.03889).
PerHead<double> outputNorms(const HeadStatistics& statistics);

/// Σ over d_head of Var(z_d)·‖W_O[d]‖² over the mean of the layer: FLAP's fluctuation (An et al.
/// 2024). FLAP centres and scales the scores of a layer; here they are only scaled, so that a head
/// that never fluctuates has 0 in every layer.
PerHead<double> fluctuations(const Model& model, const HeadStatistics& statistics);

/// Σ over the weights of W_O of |W|·‖z_d‖ over the mean of the layer (Wanda; Sun et al. 2024).
PerHead<double> weightsTimesInputs(const Model& model, const HeadStatistics& statistics);

/// Mean square of what is left of a head's output when the other heads of its layer reproduce it by
/// least squares, over that of what attention of the layer adds.
PerHead<double> reconstructionErrors(const Model& model, const HeadStatistics& statistics);

/// The place of each head in this order: the two most similar of the remaining heads of a layer are
/// found, and the one that adds less goes first. Alike: centred kernel alignment of z, ‖C_ab‖² /
/// (‖C_aa‖ ‖C_bb‖) (Kornblith et al. 2019); heads that add nothing come first.
PerHead<double> redundancyRanks(const Model& model, const HeadStatistics& statistics);

/// How much a head is of some type that says which positions or words it looks for or what it does
/// in a task, on the input that types are defined by: above 1 for heads that have such a type, by
/// their strongest score, and −1 for those that write nothing. The least goes first.
Result<PerHead<double>> typeScores(const std::shared_ptr<const Model>& model,
                                   const Progress& progress, const std::stop_token& stop);

} // namespace headscope
