#pragma once

#include <span>

namespace headscope {

/// Replaces scores by their softmax, in place, and returns log Σ exp(score). Entries of −∞ become
/// 0. The largest score is subtracted first, so no finite score overflows.
float softmaxInPlace(std::span<float> scores);

/// Replaces scores of a row by exp(score − lse): their softmax where log Σ exp of the row is known.
void expMinus(float lse, std::span<float> scores);

/// log Σ exp(score) without changing the scores, summed in double.
double logSumExp(std::span<const float> scores);

} // namespace headscope
