#include "core/tensor/finite.h"

#include "core/tensor/parallel.h"

#include <atomic>
#include <bit>
#include <cstdint>

namespace headscope {

namespace {

/// The exponent of NaN and infinity is all ones: one more, and it runs over into the sign.
bool finiteRow(const float* row, std::size_t cols) {
    std::uint32_t overflow = 0;
    for (std::size_t c = 0; c < cols; ++c) {
        const auto bits = std::bit_cast<std::uint32_t>(row[c]);
        overflow |= (bits & 0x7fffffffu) + 0x00800000u;
    }
    return (overflow & 0x80000000u) == 0;
}

} // namespace

bool allFinite(MatrixView x) {
    std::atomic<bool> finite = true;
    parallelRows(x.rows, x.cols, [&](RowRange range) {
        for (std::size_t r = range.begin; r < range.begin + range.count; ++r)
            if (!finiteRow(x.row(r), x.cols))
                finite.store(false, std::memory_order_relaxed);
    });
    return finite;
}

} // namespace headscope
