#include "core/tensor/transpose.h"

#include <algorithm>
#include <cassert>

namespace headscope {

void transposeInto(MatrixView from, MutableMatrixView to) {
    assert(to.rows == from.cols && to.cols == from.rows);
    constexpr std::size_t tile = 32;
    for (std::size_t row = 0; row < from.rows; row += tile)
        for (std::size_t col = 0; col < from.cols; col += tile)
            for (std::size_t r = row; r < std::min(row + tile, from.rows); ++r)
                for (std::size_t c = col; c < std::min(col + tile, from.cols); ++c)
                    to(c, r) = from(r, c);
}

} // namespace headscope
