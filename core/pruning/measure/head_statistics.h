#pragma once

#include "core/base/per_head.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/model/model.h"
#include "core/pruning/passages.h"
#include "core/tensor/linear_algebra.h"

#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

namespace headscope {

/// First and second moments of z [position, n_heads·d_head] of one layer, summed in float64.
struct HeadMoments {
    std::size_t positions = 0;
    std::vector<double> sum; ///< [n_heads·d_head]
    DoubleMatrix gram;       ///< [n_heads·d_head, n_heads·d_head], Σ zᵀ z

    /// The moments of no position.
    static HeadMoments ofWidth(std::size_t width) {
        return {0, std::vector<double>(width), DoubleMatrix(width, width)};
    }
    void add(MatrixView z);
    void add(const HeadMoments& other);
    std::vector<double> mean() const;
    /// Mean of (z − about)ᵀ (z − about).
    DoubleMatrix momentsAbout(const std::vector<double>& about) const;
    /// The moments about the mean; 0 for heads, `d_head` wide, whose z is the same at all positions
    /// but for rounding.
    DoubleMatrix covariance(std::size_t d_head) const;
};

/// What one pass over a text tells about all heads of a network.
struct HeadStatistics {
    std::vector<HeadMoments> fitted;   ///< [layer], of three passages in four
    std::vector<HeadMoments> held_out; ///< [layer], of the fourth; without positions where none is
    PerHead<double> output_norm;       ///< mean over positions of ‖z W_O‖

    /// The moments of all passages.
    HeadMoments all(std::size_t layer) const;
    std::size_t positions(std::size_t layer) const {
        return fitted[layer].positions + held_out[layer].positions;
    }
};

/// Fails as runBatch() does.
Result<HeadStatistics> headStatistics(const std::shared_ptr<const Model>& model,
                                      const PassageSet& text, const Progress& progress = {},
                                      const std::stop_token& stop = {});

} // namespace headscope
