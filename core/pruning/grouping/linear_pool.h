#pragma once

#include "core/base/result.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace headscope {

/// How the vectors x_i [width] of several heads are kept in one vector of that width:
/// pooled = Σ x_i · in[i], and x_i is read back as pooled · out[i].
struct PoolMaps {
    std::vector<DoubleMatrix> in;  ///< [head] of [width, width]
    std::vector<DoubleMatrix> out; ///< [head] of [width, width]
};

/// The mean of `heads` vectors, which replaces each of them.
PoolMaps meanPool(std::size_t heads, std::size_t width);

/// Two dimensions of a head that rotary positions turn together.
using RotaryPlane = std::pair<std::size_t, std::size_t>;

/// The maps for which Σ_i E[e_i · weights[i] · e_iᵀ], e_i = x_i − pooled · out[i], is least
/// (Eckart & Young 1936, in the metric of the weights). moments [heads·width, heads·width] are
/// those of all x_i side by side; weights [head] of [width, width] are symmetric and not negative.
/// The maps turn with the planes: each goes into itself by rotations and scales alone, the best
/// ones for weights that are seen from all angles alike.
Result<PoolMaps> leastSquaresPool(const DoubleMatrix& moments,
                                  std::span<const DoubleMatrix> weights,
                                  std::span<const RotaryPlane> planes = {});

} // namespace headscope
