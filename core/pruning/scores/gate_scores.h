#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"

#include <cstdint>
#include <memory>
#include <stop_token>

namespace headscope {

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

} // namespace headscope
