#include "core/model/model_spec.h"

#include <algorithm>

namespace headscope {

std::size_t ModelSpec::headsIn(std::size_t layer) const {
    return kept_heads.empty() ? n_heads : kept_heads[layer].size();
}

std::size_t ModelSpec::kvHeadsIn(std::size_t layer) const {
    if (kept_heads.empty())
        return n_kv_heads;
    return headsIn(layer) == 0 ? 0 : kvHeadOf({layer, headsIn(layer) - 1}) + 1;
}

std::size_t ModelSpec::originalHead(LayerHead head) const {
    return kept_heads.empty() ? head.head : kept_heads[head.layer][head.head];
}

std::size_t ModelSpec::kvHeadOf(LayerHead head) const {
    if (kept_heads.empty())
        return kvHeadOf(head.head);
    std::size_t group = 0;
    for (std::size_t next = 1; next <= head.head; ++next)
        if (kvHeadOf(originalHead({head.layer, next})) !=
            kvHeadOf(originalHead({head.layer, next - 1})))
            ++group;
    return group;
}

std::vector<std::size_t> ModelSpec::groupOf(std::size_t layer, std::size_t kv_head) const {
    std::vector<std::size_t> heads;
    for (std::size_t head = 0; head < headsIn(layer); ++head)
        if (kvHeadOf(LayerHead{layer, head}) == kv_head)
            heads.push_back(head);
    return heads;
}

std::vector<LayerHead> ModelSpec::allHeads() const {
    std::vector<LayerHead> heads;
    for (std::size_t layer = 0; layer < n_layers; ++layer)
        for (std::size_t head = 0; head < headsIn(layer); ++head)
            heads.push_back({layer, head});
    return heads;
}

} // namespace headscope
