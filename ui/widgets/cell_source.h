#pragma once

#include "core/tensor/tensor.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace headscope::ui {

/// Rows or columns [begin, end) of a matrix.
struct CellRange {
    std::size_t begin = 0;
    std::size_t end = 0;

    std::size_t size() const { return end - begin; }
    bool contains(std::size_t cell) const { return begin <= cell && cell < end; }
    bool contains(const CellRange& other) const { return begin <= other.begin && other.end <= end; }

    bool operator==(const CellRange&) const = default;
};

/// One cell of a matrix.
struct HeatmapCell {
    std::size_t row = 0;
    std::size_t column = 0;

    bool operator==(const HeatmapCell&) const = default;
};

/// A region of a matrix and how many values along each side are enough to draw it.
struct TileRequest {
    CellRange rows;
    CellRange columns;
    std::size_t most_rows = 0;
    std::size_t most_columns = 0;

    bool operator==(const TileRequest&) const = default;
};

/// A region of a matrix at some resolution.
struct CellTile {
    CellRange rows;
    CellRange columns;
    Tensor values; ///< [≤ rows.size(), ≤ columns.size()], of equally many cells each

    /// Whether every value is one cell.
    bool isExact() const;
    bool covers(const CellRange& other_rows, const CellRange& other_columns) const;
    /// The cell itself; nothing when it is elsewhere or shares its value with others.
    std::optional<float> value(std::size_t row, std::size_t column) const;
    /// Whether a finer tile would not look better.
    bool isEnoughFor(const TileRequest& request) const;
};

/// Where the cells of a heatmap come from, which may be far more than memory or a frame has room
/// for. Immutable; all methods may be called from any thread.
class CellSource {
public:
    virtual ~CellSource() = default;

    virtual std::size_t rows() const = 0;
    virtual std::size_t columns() const = 0;
    /// The strongest value, the one furthest from 0, in each of most_rows × most_columns equal
    /// parts of a region, or the cells themselves along a side that has no more of them. NaN: not
    /// visible.
    virtual Tensor pooled(const TileRequest& request) const = 0;

    /// The cells themselves, [row, column].
    Tensor exact(const CellRange& rows, const CellRange& columns) const;
    CellTile tile(const TileRequest& request) const;
    /// All cells at a resolution that is cheap to hold and to draw, and exact up to 1024 × 1024.
    /// The first call computes it, which may take long: make it off the GUI thread.
    const CellTile& overview() const;

private:
    mutable std::once_flag overview_made_;
    mutable CellTile overview_;
};

/// What there is to draw of a source at this moment: its overview and, over it, one sharper tile.
class KnownCells {
public:
    KnownCells() = default;
    explicit KnownCells(std::shared_ptr<const CellSource> source) : source_(std::move(source)) {}

    const std::shared_ptr<const CellSource>& source() const { return source_; }
    void sharpen(std::shared_ptr<const CellTile> tile) { sharper_ = std::move(tile); }

    bool areEnoughFor(const TileRequest& request) const;
    /// Tiles that together cover a region, to be drawn in this order.
    std::vector<const CellTile*> covering(const CellRange& rows, const CellRange& columns) const;
    /// Nothing while no tile holds the cell itself.
    std::optional<float> value(std::size_t row, std::size_t column) const;

private:
    std::shared_ptr<const CellSource> source_;
    std::shared_ptr<const CellTile> sharper_;
};

/// A matrix in memory.
class MatrixCells : public CellSource {
public:
    /// values [row, column]
    explicit MatrixCells(Tensor values);

    std::size_t rows() const override;
    std::size_t columns() const override;
    Tensor pooled(const TileRequest& request) const override;

private:
    Tensor values_;
};

} // namespace headscope::ui
