#include "core/circuits/factors/vocabulary_match.h"

#include "core/base/random.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

namespace headscope {

namespace {

/// Rows whose products with a vocabulary are in memory at a time: 28 MB of them, while that is
/// enough rows for the speed of the product. What is larger, the C library asks of the system and
/// gives back each time, and clearing it takes as long as the product.
std::size_t rowsAtOnce(std::size_t d_vocab) {
    constexpr std::size_t kNumbers = std::size_t{7} << 20;
    return std::clamp<std::size_t>(kNumbers / std::max<std::size_t>(1, d_vocab), 64, 256);
}

/// How many others are at least as large.
std::size_t rankOf(std::size_t own, std::span<const float> products) {
    const auto not_smaller = std::ranges::count_if(
        products, [value = products[own]](float other) { return other >= value; });
    return static_cast<std::size_t>(not_smaller) - 1;
}

} // namespace

VocabularySample sampleVocabulary(std::size_t d_vocab, std::size_t count, std::uint64_t seed) {
    VocabularySample sample;
    sample.seed = seed;
    sample.d_vocab = d_vocab;
    sample.rows.resize(d_vocab);
    std::iota(sample.rows.begin(), sample.rows.end(), std::size_t{0});
    if (count >= d_vocab)
        return sample;
    Random random(seed);
    for (std::size_t i = 0; i < count; ++i)
        std::swap(sample.rows[i], sample.rows[i + random.below(d_vocab - i)]);
    sample.rows.resize(count);
    std::ranges::sort(sample.rows);
    return sample;
}

Result<MatchAccuracy> matchAccuracy(MatrixView x, MatrixView table,
                                    std::span<const std::size_t> own, const std::stop_token& stop) {
    assert(own.size() == x.rows);
    constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
    const std::size_t step = std::min(rowsAtOnce(table.rows), x.rows);
    std::vector<std::size_t> ranks(x.rows);
    Tensor products = Tensor::uninitialised({step, table.rows});
    for (std::size_t begin = 0; begin < x.rows; begin += step) {
        if (stop.stop_requested())
            return Error{ErrorCode::Cancelled, "The comparison with the vocabulary was stopped."};
        const std::size_t count = std::min(step, x.rows - begin);
        const MutableMatrixView part = products.matrix().rowRange(0, count);
        multiplyTransposed(1.0f, x.rowRange(begin, count), table, part);
        if (!allFinite(part))
            return MatchAccuracy{kNotANumber, kNotANumber, x.rows};
        parallelFor(count, [&](std::size_t r, std::size_t) {
            ranks[begin + r] = rankOf(own[begin + r], {part.row(r), part.cols});
        });
    }
    const auto shareBelow = [&](std::size_t limit) {
        const auto found =
            std::ranges::count_if(ranks, [limit](std::size_t rank) { return rank < limit; });
        return static_cast<double>(found) / static_cast<double>(x.rows);
    };
    return MatchAccuracy{shareBelow(1), shareBelow(5), x.rows};
}

Tensor rowsOf(const Tensor& table, std::span<const std::size_t> rows) {
    Tensor chosen = Tensor::uninitialised({rows.size(), table.dim(1)});
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::copy_n(table.matrix().row(rows[r]), table.dim(1), chosen.matrix().row(r));
    return chosen;
}

} // namespace headscope
