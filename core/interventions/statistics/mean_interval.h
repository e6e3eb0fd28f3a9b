#pragma once

#include "core/heads/bootstrap.h"

#include <cstddef>
#include <span>

namespace headscope {

/// The number that |t| exceeds with probability `error`, of Student's t (1908) with this many
/// degrees of freedom, at least 1.
double studentQuantile(double error, std::size_t degrees);

/// Where the mean of all such values lies, but for a share `error` of cases: mean ± t · s/√n, which
/// is wider than a bootstrap of few samples and holds what it says. NaN for fewer than two values.
Interval meanInterval(std::span<const double> values, double error);

double meanOf(std::span<const double> values);

} // namespace headscope
