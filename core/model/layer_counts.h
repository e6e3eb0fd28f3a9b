#pragma once

#include "core/model/model.h"
#include "core/model/weight_role.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace headscope {

/// How many numbers the matrices of one layer hold.
struct LayerCount {
    std::size_t layer = 0;
    std::size_t parameters = 0;
    std::size_t attention = 0; ///< of these
};

/// The counts of the layers whose attention the file holds. They differ where heads were removed,
/// and where some have experts.
std::vector<LayerCount> layerCounts(const Model& model);

/// The least and the most: the same twice if layers are alike, and 0 if there is no layer.
std::pair<std::size_t, std::size_t> rangeOf(const std::vector<LayerCount>& layers,
                                            std::size_t LayerCount::*count);

/// Whether a layer has this matrix as a reader thinks of them: Q, K and V apart.
bool isShown(const Model& model, const RoleInfo& role, std::size_t layer);

} // namespace headscope
