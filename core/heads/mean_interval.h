#pragma once

#include "core/heads/bootstrap.h"

#include <cstddef>
#include <span>

namespace headscope {

/// The number that |t| exceeds with probability `error`, of Student's t (1908) with this many
/// degrees of freedom, at least 1.
double studentQuantile(double error, std::size_t degrees);

/// Holds the mean of all such values but for a share `error` of cases: mean ± t · s/√n, which is
/// wider than a percentile bootstrap, whose intervals are too narrow for few values. NaN for fewer
/// than two values, and where one is NaN.
Interval meanInterval(std::span<const double> values, double error);

/// The same of a mean to which each value counts by its weight (≥ 0): the standard error is that of
/// a ratio (Cochran 1977, 6.4), the degrees of freedom are those of (Σw)²/Σw² values (Kish 1965).
/// Values of weight 0 say nothing and are left out.
Interval meanInterval(std::span<const double> values, std::span<const double> weights,
                      double error);

/// The probability that such a mean, or a larger one, comes from values whose true mean is `null`:
/// one-sided, with the same standard error and degrees of freedom. NaN where the interval is.
double meanPValue(std::span<const double> values, std::span<const double> weights, double null);

double meanOf(std::span<const double> values);
/// NaN where no value counts.
double weightedMean(std::span<const double> values, std::span<const double> weights);

} // namespace headscope
