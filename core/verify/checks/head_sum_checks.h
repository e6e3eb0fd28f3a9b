#pragma once

#include "core/base/result.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/verify/checks/check.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace headscope {

/// A head lives in z, before W_O: what attention adds to the residual stream must be the sum of
/// what its heads write, and a head whose z is zeroed must take exactly its own part away.
Result<std::vector<Check>> headSumChecks(const std::shared_ptr<const Model>& model,
                                         const TokenIds& ids, const std::stop_token& stop = {});

/// Attention's output [position, d_model] of one layer from z [position, head, d_head] in float64
/// and plain loops: Σ_h z_h W_O^h + b_O, normalised where the network does that before adding it.
/// The part of head `without` is left out.
Tensor attentionOutput(const Model& model, std::size_t layer, const Tensor& z,
                       std::optional<std::size_t> without = {});

/// What a run must capture for the two checks below. They compare what the model of the run did
/// with what `model` says it should have done; outside tests both are the same.
void addHeadSumHooks(HookSet& hooks);
Check headSumCheck(const Model& model, const Run& run);
Result<Check> zeroedHeadsCheck(const Model& model, const Run& run,
                               const std::stop_token& stop = {});

} // namespace headscope
