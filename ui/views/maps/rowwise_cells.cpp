#include "ui/views/maps/rowwise_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace headscope::ui {
namespace {

constexpr std::size_t kBlockRows = 64;

/// Which of `parts` equal parts of a range each of its cells is in, part i beginning at begin +
/// size · i / parts.
std::vector<std::size_t> partsOf(const CellRange& range, std::size_t parts) {
    std::vector<std::size_t> part(range.size());
    for (std::size_t cell = 0; cell < range.size(); ++cell)
        part[cell] = ((cell + 1) * parts - 1) / range.size();
    return part;
}

void keepStrongest(float& strongest, float value) {
    if (std::isnan(strongest) || std::fabs(value) > std::fabs(strongest))
        strongest = value;
}

} // namespace

Tensor RowwiseCells::pooled(const TileRequest& request) const {
    const std::size_t n_rows = std::min(request.most_rows, request.rows.size());
    const std::size_t n_columns = std::min(request.most_columns, request.columns.size());
    if (n_rows == request.rows.size() && n_columns == request.columns.size())
        return computed(request.rows, request.columns);
    const auto row_part = partsOf(request.rows, n_rows);
    const auto column_part = partsOf(request.columns, n_columns);
    Tensor pooled({n_rows, n_columns}, std::numeric_limits<float>::quiet_NaN());
    for (std::size_t begin = request.rows.begin; begin < request.rows.end; begin += kBlockRows) {
        const CellRange block{begin, std::min(begin + kBlockRows, request.rows.end)};
        const Tensor values = computed(block, {0, columns()});
        for (std::size_t row = 0; row < block.size(); ++row) {
            const float* from = values.matrix().row(row) + request.columns.begin;
            float* to = pooled.matrix().row(row_part[begin - request.rows.begin + row]);
            for (std::size_t column = 0; column < column_part.size(); ++column)
                keepStrongest(to[column_part[column]], from[column]);
        }
    }
    return pooled;
}

} // namespace headscope::ui
