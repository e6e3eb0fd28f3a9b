#pragma once

#include "core/base/layer_head.h"
#include "core/engine/position_range.h"
#include "core/tensor/tensor.h"

#include <cstddef>

namespace headscope {

/// Some rows of one head's attention pattern.
struct PatternBlock {
    LayerHead head;
    PositionRange queries;
    PositionRange keys; ///< outside them these queries attend to nothing
    /// [query, key]; rows sum to 1 minus the share of a learned sink, masked entries are 0
    MatrixView weights;
};

/// Sees the attention of every head while it is computed, so that statistics of patterns need no
/// pattern in memory.
class PatternObserver {
public:
    virtual ~PatternObserver() = default;

    /// Called by several threads at a time for different heads; for one head by one thread at a
    /// time, from the first query on, every query once.
    virtual void observe(const PatternBlock& block) = 0;
};

} // namespace headscope
