#pragma once

#include "core/base/result.h"
#include "core/tensor/tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace headscope {

/// Rows that represent the whole vocabulary.
struct VocabularySample {
    std::vector<std::size_t> rows; ///< ascending, each at most once
    std::uint64_t seed = 0;
    std::size_t d_vocab = 0; ///< how many there are to draw from
};

/// `count` rows drawn without replacement; all of them when there are no more.
VocabularySample sampleVocabulary(std::size_t d_vocab, std::size_t count, std::uint64_t seed = 0);

/// How often a token finds itself in the whole vocabulary, as shares of the rows asked; NaN when a
/// number on the way is NaN or infinite. The baseline is 1/d_vocab and 5/d_vocab.
struct MatchAccuracy {
    double top1 = 0.0;
    double top5 = 0.0;
    std::size_t rows = 0; ///< how many were asked
};

/// For each row i of `x` [row, n] the products with all rows of `table` [d_vocab, n]: whether that
/// with row own[i] is the largest, or among the five largest. Of equal products the own comes last,
/// so that zeros match nothing. Fails with ErrorCode::Cancelled on a stop request.
Result<MatchAccuracy> matchAccuracy(MatrixView x, MatrixView table,
                                    std::span<const std::size_t> own, const std::stop_token& stop);

/// The rows `rows` of `table`, packed densely.
Tensor rowsOf(const Tensor& table, std::span<const std::size_t> rows);

} // namespace headscope
