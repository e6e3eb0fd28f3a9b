#pragma once

#include <span>

namespace headscope {

/// log Σ exp(score) of a row, in two parts: one float of the sum would be rounded by 6e-8·|lse|,
/// and that would be the relative error of every weight computed from it.
struct RowLse {
    float largest = 0.0f; ///< of the scores
    float log_sum = 0.0f; ///< ln Σ exp(score − largest)

    double value() const { return static_cast<double>(largest) + static_cast<double>(log_sum); }
    bool operator==(const RowLse&) const = default;
};

/// Replaces scores by their softmax, in place, and returns log Σ exp(score). Entries of −∞ become
/// 0. The largest score is subtracted first, so no finite score overflows. A row with NaN or +∞, or
/// with nothing but −∞, becomes NaN throughout.
RowLse softmaxInPlace(std::span<float> scores);

/// Replaces every score by exp(score − lse): a part of the softmax of a row whose log Σ exp(score)
/// is known.
void expMinus(RowLse lse, std::span<float> scores);

/// log Σ exp(score) without changing the scores, summed in double; off by less than 1e-6 for a
/// hundred thousand scores.
double logSumExp(std::span<const float> scores);

} // namespace headscope
