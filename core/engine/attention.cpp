#include "core/engine/attention.h"

#include "core/tensor/gemm.h"
#include "core/tensor/softmax.h"

#include <algorithm>
#include <limits>

namespace headscope {

namespace {

constexpr std::size_t kBlockRows = 64;
constexpr float kMasked = -std::numeric_limits<float>::infinity();

} // namespace

void attend(const HeadInput& head, MutableMatrixView z, std::span<float> lse) {
    const std::size_t positions = head.positions();
    Tensor block({std::min(kBlockRows, positions), positions});
    for (std::size_t begin = 0; begin < positions; begin += kBlockRows) {
        const std::size_t rows = std::min(kBlockRows, positions - begin);
        // Keys that no row of this block may see are never touched.
        const std::size_t keys = head.visibleKeys(begin + rows - 1);
        const MutableMatrixView pattern{block.data(), rows, keys, positions};
        multiplyTransposed(head.scale, head.q.rowRange(begin, rows), head.k.rowRange(0, keys),
                           pattern);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t visible = head.visibleKeys(begin + r);
            float* row = pattern.row(r);
            lse[begin + r] = softmaxInPlace({row, visible});
            std::fill(row + visible, row + keys, 0.0f);
        }
        multiply(pattern, head.v.rowRange(0, keys), z.rowRange(begin, rows));
    }
}

void maskedScores(const HeadInput& head, MutableMatrixView scores) {
    multiplyTransposed(head.scale, head.q, head.k, scores);
    for (std::size_t r = 0; r < scores.rows; ++r)
        std::fill(scores.row(r) + head.visibleKeys(r), scores.row(r) + scores.cols, kMasked);
}

void softmaxRows(MutableMatrixView scores, std::span<float> lse) {
    for (std::size_t r = 0; r < scores.rows; ++r)
        lse[r] = softmaxInPlace({scores.row(r), scores.cols});
}

} // namespace headscope
