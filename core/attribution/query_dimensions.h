#pragma once

#include "core/attribution/stream_parts.h"
#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/engine/position_range.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <vector>

namespace headscope {

/// One query of a head against all keys that it sees, dimension by dimension: the view of neurons
/// that BertViz has (Vig 2019).
struct QueryDimensions {
    LayerHead head;
    std::size_t query_position = 0;
    PositionRange positions;          ///< of the keys
    std::vector<double> query_before; ///< [d_head], behind its norm and before rotary
    std::vector<double> query;        ///< [d_head], as the scores are made of it
    DoubleMatrix keys_before;         ///< [key, d_head]
    DoubleMatrix keys;                ///< [key, d_head]
    /// [key, d_head], scale · query · key: each row adds up to its score, but for soft-cap and
    /// biases by distance.
    DoubleMatrix parts;
    bool turned = false; ///< whether rotary positions turn queries and keys of this layer
};

/// Fails for heads and queries that are not there.
Result<QueryDimensions> queryDimensions(const StreamRun& run, LayerHead head, std::size_t query);

} // namespace headscope
