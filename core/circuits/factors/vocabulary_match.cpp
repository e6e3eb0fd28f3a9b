#include "core/circuits/factors/vocabulary_match.h"

#include "core/base/random.h"
#include "core/tensor/finite.h"
#include "core/tensor/gemm.h"
#include "core/tensor/parallel.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>

namespace headscope {

namespace {

constexpr std::size_t kMostAsked = 5; ///< how many may be larger than what is among the largest

// A tile of products, 1 MB, is looked through while it is still in the cache.
constexpr std::size_t kRowsAtOnce = 256;
constexpr std::size_t kTokensAtOnce = 1024;

/// A part of the vocabulary and the products of rows with it.
struct VocabularyPart {
    std::size_t begin = 0;
    MatrixView products; ///< [row, token of the part]

    bool holds(std::size_t token) const { return token >= begin && token - begin < products.cols; }
};

/// What a row's product with its own token is compared with: the largest with others, of those that
/// have been seen.
class RowMatch {
public:
    explicit RowMatch(std::size_t own) : own_(own) { largest_.fill(kBelowAll); }

    void look(const VocabularyPart& part, std::size_t row) {
        const std::span<const float> products(part.products.row(row), part.products.cols);
        if (!part.holds(own_))
            return takeAll(products);
        const std::size_t own = own_ - part.begin;
        own_product_ = products[own];
        takeAll(products.first(own));
        takeAll(products.subspan(own + 1));
    }

    /// Whether fewer than `limit` others are as large; at most kMostAsked.
    bool isAmong(std::size_t limit) const { return largest_[limit - 1] < own_product_; }

private:
    static constexpr float kBelowAll = -std::numeric_limits<float>::infinity();

    void takeAll(std::span<const float> products) {
        constexpr std::size_t kBlock = 64; // looked at as one: hardly any holds a larger one
        while (products.size() >= kBlock) {
            const auto block = products.first<kBlock>();
            if (std::ranges::count_if(
                    block, [least = largest_.back()](float each) { return each > least; }) > 0)
                takeEach(block);
            products = products.subspan(kBlock);
        }
        takeEach(products);
    }

    void takeEach(std::span<const float> products) {
        for (const float product : products)
            if (product > largest_.back()) {
                const auto place = std::ranges::upper_bound(largest_, product, std::greater<>());
                std::shift_right(place, largest_.end(), 1);
                *place = product;
            }
    }

    std::size_t own_;
    float own_product_ = kBelowAll;
    std::array<float, kMostAsked> largest_; ///< of other tokens, descending
};

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
    std::vector<RowMatch> matches(own.begin(), own.end());
    Tensor tile = Tensor::uninitialised({std::min(kRowsAtOnce, x.rows), kTokensAtOnce});
    for (std::size_t row = 0; row < x.rows; row += kRowsAtOnce) {
        const std::size_t rows = std::min(kRowsAtOnce, x.rows - row);
        for (std::size_t token = 0; token < table.rows; token += kTokensAtOnce) {
            if (stop.stop_requested())
                return Error{ErrorCode::Cancelled,
                             "The comparison with the vocabulary was stopped."};
            const std::size_t tokens = std::min(kTokensAtOnce, table.rows - token);
            const MutableMatrixView products = tile.matrix().rowRange(0, rows).colRange(0, tokens);
            multiplyTransposed(1.0f, x.rowRange(row, rows), table.rowRange(token, tokens),
                               products);
            if (!allFinite(products))
                return MatchAccuracy{kNotANumber, kNotANumber, x.rows};
            const VocabularyPart part{token, products};
            parallelFor(rows, [&](std::size_t r, std::size_t) { matches[row + r].look(part, r); });
        }
    }
    const auto shareAmong = [&](std::size_t limit) {
        const auto found = std::ranges::count_if(
            matches, [limit](const RowMatch& match) { return match.isAmong(limit); });
        return static_cast<double>(found) / static_cast<double>(x.rows);
    };
    return MatchAccuracy{shareAmong(1), shareAmong(kMostAsked), x.rows};
}

Tensor rowsOf(const Tensor& table, std::span<const std::size_t> rows) {
    Tensor chosen = Tensor::uninitialised({rows.size(), table.dim(1)});
    for (std::size_t r = 0; r < rows.size(); ++r)
        std::copy_n(table.matrix().row(rows[r]), table.dim(1), chosen.matrix().row(r));
    return chosen;
}

} // namespace headscope
