#include "ui/document/head_groups.h"

#include <algorithm>

namespace headscope::ui {

std::vector<LayerHead> headsOfLayer(const ModelSpec& spec, std::size_t layer) {
    std::vector<LayerHead> heads;
    for (std::size_t place = 0; place < spec.headsIn(layer); ++place)
        heads.push_back(spec.headAt(layer, place));
    return heads;
}

std::vector<LayerHead> headsOfType(const HeadScores& scores, HeadTypeId type,
                                   const Thresholds& thresholds) {
    std::vector<LayerHead> heads;
    for (const LayerHead head : scores.heads) {
        const auto types = labels(scores, head, thresholds);
        if (std::ranges::find(types, type) != types.end())
            heads.push_back(head);
    }
    return heads;
}

} // namespace headscope::ui
