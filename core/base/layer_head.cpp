#include "core/base/layer_head.h"

#include "core/base/text.h"

#include <vector>

namespace headscope {

std::string headText(LayerHead head) {
    return std::to_string(head.layer) + "." + std::to_string(head.head);
}

std::string layersText(std::span<const std::size_t> layers) {
    std::vector<std::string> runs;
    for (std::size_t begin = 0, end = 0; begin < layers.size(); begin = end) {
        while (end < layers.size() && layers[end] - layers[begin] == end - begin)
            ++end;
        runs.push_back(std::to_string(layers[begin]));
        if (end - begin > 2)
            runs.back() += " to " + std::to_string(layers[end - 1]);
        else if (end - begin == 2)
            runs.push_back(std::to_string(layers[end - 1]));
    }
    if (runs.empty())
        return {};
    const std::string last = runs.back();
    runs.pop_back();
    return (layers.size() == 1 ? "layer " : "layers ") +
           (runs.empty() ? last : join(runs, ", ") + " and " + last);
}

} // namespace headscope
