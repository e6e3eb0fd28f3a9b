#pragma once

#include "core/base/colour_map.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/base/token_id.h"
#include "core/engine/hooks.h"
#include "core/engine/position_range.h"
#include "core/engine/run.h"
#include "core/model/model.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>

namespace headscope {

/// Whether the first key is left out, on which many heads rest when they find nothing (Xiao et al.
/// 2023).
enum class FirstKey {
    Automatic, ///< where it holds more than half of the attention
    Hidden,
    Shown,
};

/// The share of all attention that the first key gets: the mean of its column [query]. The first
/// entry does not count, since it is 1 in causal networks. 0 where there is no other entry.
double shareOfFirstKey(std::span<const float> column);

/// The share of all attention that a learned sink takes: the mean of Run::sinkWeights().
double shareOfSink(std::span<const float> taken);

bool hidesFirstKey(FirstKey choice, double share);

/// The less attention remains without the first key, the finer the scale. It is linear where the
/// first key is shown, and where rows are rescaled.
ValueScale fittingScale(bool is_hidden, bool rows_are_rescaled, double share);

/// ‖v_k W_O‖ [layer, head, key], 0 for removed heads: how much every head would write for every key
/// if it attended to nothing else, before a norm after attention. One run as far as the last
/// values; `hooks` may edit it. Fails as runModel() does.
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
