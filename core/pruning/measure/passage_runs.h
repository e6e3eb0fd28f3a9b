#pragma once

#include "core/pruning/passages.h"

#include <cstddef>
#include <span>
#include <vector>

namespace headscope {

/// Passages [begin, end) of `total`, which run as one batch.
struct PassageBatch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t total = 0;

    std::size_t size() const { return end - begin; }
};

/// As many passages at a time as give some 2,000 rows, at least one.
std::vector<PassageBatch> passageBatches(std::span<const Passage> passages);

} // namespace headscope
