#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hook_set.h"
#include "core/engine/position_range.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope {

/// ‖v_k W_O‖ [layer, head, key], 0 for removed heads: how much every head would write for every key
/// if it attended to nothing else, before a norm that stands behind attention. One run as far as
/// the last values; `hooks` may edit it. Fails as runModel() does.
Result<Tensor> valueNorms(const std::shared_ptr<const Model>& model, const TokenIds& ids,
                          const HookSet& hooks = {}, std::stop_token stop = {});

enum class RowScale {
    None,     ///< in units of the residual stream
    SumToOne, ///< each row divided by its sum over all keys
};

/// A[q, k]·‖v_k W_O‖ [queries, keys] of one head: what reaches the query from each key, where the
/// weight alone says only where the head looks (norm-based analysis, Kobayashi et al. 2020).
/// `norms` are valueNorms() of the same prompt. A row of zeros stays one. Besides the tile it needs
/// memory for a block of rows.
Tensor valueWeightedPattern(const Run& run, const Tensor& norms, LayerHead head,
                            PositionRange queries, PositionRange keys,
                            RowScale scale = RowScale::None);

/// The largest of the same, with rows that sum to 1, in each of rows × cols equal cells of a
/// region; NaN where the mask hides a whole cell, as in Run::pooledPattern().
Tensor pooledValueWeightedPattern(const Run& run, const Tensor& norms, LayerHead head,
                                  PositionRange queries, PositionRange keys, std::size_t rows,
                                  std::size_t cols);

} // namespace headscope
