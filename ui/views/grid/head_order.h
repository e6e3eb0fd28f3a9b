#pragma once

#include "core/base/layer_head.h"
#include "core/heads/head_score.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace headscope::ui {

/// The head that a cell of the grid stands for: rows are layers, columns heads by their number.
LayerHead headAt(int row, int column);

/// Which head stands at which place of a grid whose rows are layers.
class HeadOrder {
public:
    /// By number.
    HeadOrder() = default;
    /// The heads of each layer by this score, the highest first, undefined ones last.
    HeadOrder(const HeadScores& scores, HeadTypeId type);

    bool isByNumber() const { return heads_.empty(); }
    /// Nothing behind the last head of a sorted row.
    std::optional<LayerHead> headAt(int row, int column) const;
    int columnOf(LayerHead head) const;

private:
    std::vector<std::vector<std::size_t>> heads_; ///< of each layer; empty: by number
};

} // namespace headscope::ui
