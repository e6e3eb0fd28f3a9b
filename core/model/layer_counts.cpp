#include "core/model/layer_counts.h"

#include <algorithm>
#include <string_view>

namespace headscope {

namespace {

/// `prefix` chooses some of the layer's matrices.
std::size_t numbersIn(const Model& model, std::size_t layer, std::string_view prefix) {
    std::size_t count = 0;
    for (const RoleInfo& role : weightRoles())
        if (role.isPerLayer() && role.name.starts_with(prefix) && isShown(model, role, layer))
            count += elementCount(role.shape(model.spec, layer)) * role.copies(model.spec, layer);
    return count;
}

} // namespace

std::vector<LayerCount> layerCounts(const Model& model) {
    std::vector<LayerCount> layers;
    for (std::size_t layer = 0; layer < model.spec.n_layers; ++layer)
        if (!model.spec.absent.hasAttention(layer))
            layers.push_back({layer, numbersIn(model, layer, "blocks."),
                              numbersIn(model, layer, "blocks.{}.attn.")});
    return layers;
}

std::pair<std::size_t, std::size_t> rangeOf(const std::vector<LayerCount>& layers,
                                            std::size_t LayerCount::*count) {
    if (layers.empty())
        return {0, 0};
    const auto [least, most] = std::ranges::minmax_element(layers, {}, count);
    return {(*least).*count, (*most).*count};
}

bool isShown(const Model& model, const RoleInfo& role, std::size_t layer) {
    const bool fused = role.role == WeightRole::W_QKV || role.role == WeightRole::b_QKV;
    return !fused && !(role.isPerLayer() && model.weights.layers.empty()) &&
           sizeOf(role.tensor.read(model.weights, layer)) > 0;
}

} // namespace headscope
