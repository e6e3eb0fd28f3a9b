#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility> // brings <compare>, which operator<=> needs

namespace headscope {

/// One attention head. Layers and heads count from 0; written L4 H1 on screen and 4.1 in files. A
/// head keeps its number when others of its layer are removed.
struct LayerHead {
    std::size_t layer = 0;
    std::size_t head = 0;

    auto operator<=>(const LayerHead&) const = default;
};

/// "4.1"
std::string headText(LayerHead head);

/// "layer 3", "layers 0 to 2 and 5" of these, ascending.
std::string layersText(std::span<const std::size_t> layers);

} // namespace headscope

template <>
struct std::hash<headscope::LayerHead> {
    std::size_t operator()(const headscope::LayerHead& id) const noexcept {
        return id.layer * 1048583 + id.head;
    }
};
