#include "core/loading/cut_config.h"

#include <nlohmann/json.hpp>

namespace headscope {

std::string keptHeadsText(const ModelSpec& spec) {
    auto kept = nlohmann::json::object();
    for (std::size_t layer = 0; layer < spec.kept_heads.size(); ++layer)
        kept[std::to_string(layer)] = spec.kept_heads[layer];
    return kept.dump();
}

bool hasEvenGroups(const ModelSpec& spec, std::size_t layer) {
    const std::size_t n_heads = spec.headsIn(layer);
    const std::size_t n_groups = spec.kvHeadsIn(layer);
    for (std::size_t place = 0; place < n_heads; ++place)
        if (spec.groupOf(spec.headAt(layer, place)).size() * n_groups != n_heads)
            return false;
    return true;
}

} // namespace headscope
