#pragma once

#include <algorithm>
#include <cstddef>

namespace headscope {

/// Half-open range [begin, end) of positions.
struct PositionRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    bool contains(std::size_t position) const { return begin <= position && position < end; }
};

/// What two ranges share; empty where they do not meet.
inline PositionRange intersection(PositionRange a, PositionRange b) {
    const std::size_t begin = std::max(a.begin, b.begin);
    return {begin, std::max(begin, std::min(a.end, b.end))};
}

} // namespace headscope
