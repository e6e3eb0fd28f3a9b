#include "ui/widgets/cell_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope::ui {

namespace {

constexpr std::size_t kOverviewSide = 1024;

/// `values` values over `have` cells are as dense as `most` over `want`, or as the cells.
bool isDense(std::size_t values, const CellRange& have, std::size_t most, const CellRange& want) {
    return values == have.size() || values * want.size() >= most * have.size();
}

} // namespace

bool CellTile::isExact() const {
    return values.dim(0) == rows.size() && values.dim(1) == columns.size();
}

bool CellTile::covers(const CellRange& other_rows, const CellRange& other_columns) const {
    return rows.contains(other_rows) && columns.contains(other_columns);
}

std::optional<float> CellTile::value(std::size_t row, std::size_t column) const {
    if (!isExact() || !rows.contains(row) || !columns.contains(column))
        return std::nullopt;
    return values(row - rows.begin, column - columns.begin);
}

bool CellTile::isEnoughFor(const TileRequest& request) const {
    return covers(request.rows, request.columns) &&
           isDense(values.dim(0), rows, request.most_rows, request.rows) &&
           isDense(values.dim(1), columns, request.most_columns, request.columns);
}

Tensor CellSource::exact(const CellRange& rows, const CellRange& columns) const {
    return pooled({rows, columns, rows.size(), columns.size()});
}

CellTile CellSource::tile(const TileRequest& request) const {
    return {request.rows, request.columns, pooled(request)};
}

const CellTile& CellSource::overview() const {
    std::call_once(overview_made_, [this] {
        overview_ = tile({{0, rows()}, {0, columns()}, kOverviewSide, kOverviewSide});
    });
    return overview_;
}

bool KnownCells::areEnoughFor(const TileRequest& request) const {
    return source_->overview().isEnoughFor(request) || (sharper_ && sharper_->isEnoughFor(request));
}

std::vector<const CellTile*> KnownCells::covering(const CellRange& rows,
                                                  const CellRange& columns) const {
    if (!sharper_)
        return {&source_->overview()};
    if (sharper_->covers(rows, columns))
        return {sharper_.get()};
    return {&source_->overview(), sharper_.get()};
}

std::optional<float> KnownCells::value(std::size_t row, std::size_t column) const {
    const auto value = source_->overview().value(row, column);
    return value || !sharper_ ? value : sharper_->value(row, column);
}

namespace {

/// The part of `range` that holds `cell`, of `parts` equal ones that begin at begin + size · i /
/// parts.
std::size_t partWith(std::size_t cell, const CellRange& range, std::size_t parts) {
    return ((cell - range.begin + 1) * parts - 1) / range.size();
}

} // namespace

MatrixCells::MatrixCells(Tensor values) : values_(std::move(values)) {}

std::size_t MatrixCells::rows() const {
    return values_.dim(0);
}

std::size_t MatrixCells::columns() const {
    return values_.dim(1);
}

Tensor MatrixCells::pooled(const TileRequest& request) const {
    Tensor pooled({std::min(request.most_rows, request.rows.size()),
                   std::min(request.most_columns, request.columns.size())},
                  std::numeric_limits<float>::quiet_NaN());
    for (std::size_t row = request.rows.begin; row < request.rows.end; ++row) {
        for (std::size_t column = request.columns.begin; column < request.columns.end; ++column) {
            float& strongest = pooled(partWith(row, request.rows, pooled.dim(0)),
                                      partWith(column, request.columns, pooled.dim(1)));
            const float value = values_(row, column);
            if (std::isnan(strongest) || std::fabs(value) > std::fabs(strongest))
                strongest = value;
        }
    }
    return pooled;
}

} // namespace headscope::ui
