#pragma once

#include "ui/widgets/heatmap.h"

#include <limits>

namespace headscope::ui {

/// A causal pattern [size, size]: row q gives 1 / (q + 1) to every key up to itself.
inline HeatmapContent causalContent(std::size_t size) {
    auto values =
        std::make_shared<Tensor>(Shape{size, size}, std::numeric_limits<float>::quiet_NaN());
    HeatmapContent content;
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column <= row; ++column)
            (*values)(row, column) = 1.0f / static_cast<float>(row + 1);
        content.row_labels.append(QStringLiteral("tok%1").arg(row));
    }
    content.values = std::move(values);
    content.column_labels = content.row_labels;
    content.title = QStringLiteral("L0 H1");
    content.row_axis = QStringLiteral("query");
    content.column_axis = QStringLiteral("key");
    content.value_name = QStringLiteral("attention");
    content.note = QStringLiteral("tiny.h5 · <BOS> & more");
    return content;
}

} // namespace headscope::ui
