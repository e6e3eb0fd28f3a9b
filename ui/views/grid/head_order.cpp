#include "ui/views/grid/head_order.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope::ui {

LayerHead headAt(int row, int column) {
    return {static_cast<std::size_t>(row), static_cast<std::size_t>(column)};
}

HeadOrder::HeadOrder(const HeadScores& scores, HeadTypeId type) {
    heads_.reserve(scores.heads.layers());
    for (std::size_t layer = 0; layer < scores.heads.layers(); ++layer) {
        const auto key = [&](std::size_t head) {
            const double score = scores.at(type, {layer, head}).score;
            return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
        };
        auto& heads = heads_.emplace_back();
        for (const LayerHead head : scores.heads.in(layer))
            heads.push_back(head.head);
        std::stable_sort(heads.begin(), heads.end(),
                         [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
    }
}

std::optional<LayerHead> HeadOrder::headAt(int row, int column) const {
    const LayerHead place = ui::headAt(row, column);
    if (isByNumber())
        return place;
    const auto& heads = heads_[place.layer];
    return place.head < heads.size() ? std::optional(LayerHead{place.layer, heads[place.head]})
                                     : std::nullopt;
}

int HeadOrder::columnOf(LayerHead head) const {
    if (isByNumber())
        return static_cast<int>(head.head);
    const auto& heads = heads_[head.layer];
    return static_cast<int>(std::ranges::find(heads, head.head) - heads.begin());
}

} // namespace headscope::ui
