#pragma once

#include "ui/widgets/heatmap.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace headscope::ui {

/// A matrix in memory.
class TensorCells : public CellSource {
public:
    explicit TensorCells(Tensor values) : values_(std::move(values)) {}

    std::size_t rows() const override { return values_.dim(0); }
    std::size_t columns() const override { return values_.dim(1); }
    Tensor pooled(const TileRequest& request) const override {
        Tensor pooled({std::min(request.most_rows, request.rows.size()),
                       std::min(request.most_columns, request.columns.size())},
                      std::numeric_limits<float>::quiet_NaN());
        const auto part = [](std::size_t cell, const CellRange& range, std::size_t parts) {
            return ((cell - range.begin + 1) * parts - 1) / range.size();
        };
        for (std::size_t r = request.rows.begin; r < request.rows.end; ++r)
            for (std::size_t c = request.columns.begin; c < request.columns.end; ++c) {
                float& largest = pooled(part(r, request.rows, pooled.dim(0)),
                                        part(c, request.columns, pooled.dim(1)));
                largest = std::fmax(largest, values_(r, c));
            }
        return pooled;
    }

private:
    Tensor values_;
};

/// A causal pattern [size, size]: row q gives 1 / (q + 1) to every key up to itself.
inline HeatmapContent causalContent(std::size_t size) {
    Tensor values({size, size}, std::numeric_limits<float>::quiet_NaN());
    HeatmapContent content;
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t column = 0; column <= row; ++column)
            values(row, column) = 1.0f / static_cast<float>(row + 1);
        content.row_labels.append(QStringLiteral("tok%1").arg(row));
    }
    content.cells = std::make_shared<TensorCells>(std::move(values));
    content.column_labels = content.row_labels;
    content.title = QStringLiteral("L0 H1");
    content.row_axis = QStringLiteral("query");
    content.column_axis = QStringLiteral("key");
    content.value_name = QStringLiteral("attention");
    content.note = QStringLiteral("tiny.h5 · <BOS> & more");
    return content;
}

} // namespace headscope::ui
