#pragma once

#include "core/base/token_id.h"
#include "core/interventions/token_dependence.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

namespace headscope {

/// What the network has at hook_embed for these tokens, [position, d_model].
Tensor tokenEmbeddings(const Model& model, const TokenIds& ids);

/// The same for a baseline, [1, d_model].
Tensor baselineEmbedding(const Model& model, const TokenBaseline& baseline);

/// `from` + share · (to − from) at every position. from [position, d_model], to the same or
/// [1, d_model], for all positions alike.
Tensor onTheWay(const Tensor& from, const Tensor& to, double share);

} // namespace headscope
