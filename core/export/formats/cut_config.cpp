#include "core/export/formats/cut_config.h"

#include "core/loading/cut_config.h"

#include <nlohmann/json.hpp>

namespace headscope {

std::string cutConfig(const std::string& config, const Model& smaller) {
    auto json = nlohmann::json::parse(config, nullptr, false);
    json.erase("pruned_heads");
    auto kept = nlohmann::json::object();
    for (std::size_t layer = 0; layer < smaller.spec.kept_heads.size(); ++layer)
        kept[std::to_string(layer)] = smaller.spec.kept_heads[layer];
    json[kKeptHeadsKey] = std::move(kept);
    if (hasOutputBias(smaller))
        json[kOutputBiasKey] = true;
    return json.dump(2);
}

bool hasOutputBias(const Model& model) {
    return !model.weights.layers.empty() && !model.weights.layers.front().attn.b_O.empty();
}

} // namespace headscope
