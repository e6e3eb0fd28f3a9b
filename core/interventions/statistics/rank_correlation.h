#pragma once

#include <span>

namespace headscope {

/// Spearman's ρ (1904) of two equally long lists: Pearson's r of their ranks, where equal numbers
/// share the mean of theirs; from −1 to 1. NaN for fewer than two, when all of a list are equal,
/// and where a number is NaN.
double rankCorrelation(std::span<const double> a, std::span<const double> b);

} // namespace headscope
