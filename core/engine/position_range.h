#pragma once

#include <cstddef>

namespace headscope {

/// Half-open range [begin, end) of positions.
struct PositionRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    bool contains(std::size_t position) const { return begin <= position && position < end; }
};

} // namespace headscope
