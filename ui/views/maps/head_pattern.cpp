#include "ui/views/maps/head_pattern.h"

#include "core/attribution/shown_attention.h"
#include "ui/views/maps/rowwise_cells.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <span>
#include <utility>

namespace headscope::ui {
namespace {

constexpr float kNotShown = std::numeric_limits<float>::quiet_NaN();

PositionRange positionsOf(const CellRange& cells) {
    return {cells.begin, cells.end};
}

/// Cells are recomputed from queries and keys, so that a pattern costs no memory.
class PatternCells : public CellSource {
public:
    PatternCells(std::shared_ptr<const Run> run, LayerHead head)
        : run_(std::move(run)), head_(head) {}

    std::size_t rows() const override { return run_->positions(); }
    std::size_t columns() const override { return run_->positions(); }
    Tensor pooled(const TileRequest& request) const override {
        return run_->pooledPattern(head_, positionsOf(request.rows), positionsOf(request.columns),
                                   request.most_rows, request.most_columns);
    }

private:
    std::shared_ptr<const Run> run_;
    LayerHead head_;
};

/// The same of A[q, k]·‖v_k W_O‖.
class ValueWeightedCells : public CellSource {
public:
    ValueWeightedCells(std::shared_ptr<const Run> run, std::shared_ptr<const Tensor> norms,
                       LayerHead head)
        : run_(std::move(run)), norms_(std::move(norms)), head_(head) {}

    std::size_t rows() const override { return run_->positions(); }
    std::size_t columns() const override { return run_->positions(); }
    Tensor pooled(const TileRequest& request) const override {
        return pooledValueWeightedPattern(*run_, *norms_, head_, positionsOf(request.rows),
                                          positionsOf(request.columns), request.most_rows,
                                          request.most_columns);
    }

private:
    std::shared_ptr<const Run> run_;
    std::shared_ptr<const Tensor> norms_; ///< [layer, head, key]
    LayerHead head_;
};

class DifferenceCells : public RowwiseCells {
public:
    DifferenceCells(std::shared_ptr<const CellSource> cells, std::shared_ptr<const CellSource> less)
        : cells_(std::move(cells)), less_(std::move(less)) {}

    std::size_t rows() const override { return cells_->rows(); }
    std::size_t columns() const override { return cells_->columns(); }

protected:
    Tensor computed(const CellRange& rows, const CellRange& columns) const override {
        Tensor values = cells_->exact(rows, columns);
        const Tensor less = less_->exact(rows, columns);
        std::ranges::transform(values.values(), less.values(), values.values().begin(),
                               std::minus());
        return values;
    }

private:
    std::shared_ptr<const CellSource> cells_;
    std::shared_ptr<const CellSource> less_;
};

/// The cells of another prompt at the tokens of this one.
class AlignedCells : public RowwiseCells {
public:
    AlignedCells(std::shared_ptr<const CellSource> cells,
                 std::shared_ptr<const TokenAlignment> counterpart)
        : cells_(std::move(cells)), counterpart_(std::move(counterpart)) {}

    std::size_t rows() const override { return counterpart_->size(); }
    std::size_t columns() const override { return counterpart_->size(); }

protected:
    Tensor computed(const CellRange& rows, const CellRange& columns) const override {
        Tensor values({rows.size(), columns.size()}, kNotShown);
        const CellRange other_rows = counterpartOf(rows);
        const CellRange other_columns = counterpartOf(columns);
        if (other_rows.size() == 0 || other_columns.size() == 0)
            return values;
        const Tensor other = cells_->exact(other_rows, other_columns);
        for (std::size_t row = rows.begin; row < rows.end; ++row) {
            const auto other_row = (*counterpart_)[row];
            if (!other_row)
                continue;
            for (std::size_t column = columns.begin; column < columns.end; ++column)
                if (const auto other_column = (*counterpart_)[column])
                    values(row - rows.begin, column - columns.begin) =
                        other(*other_row - other_rows.begin, *other_column - other_columns.begin);
        }
        return values;
    }

private:
    /// From the first to the last of theirs.
    CellRange counterpartOf(const CellRange& range) const {
        CellRange other;
        for (std::size_t position = range.begin; position < range.end; ++position)
            if (const auto at = (*counterpart_)[position]) {
                other.begin = other.end == 0 ? *at : other.begin;
                other.end = *at + 1;
            }
        return other;
    }

    std::shared_ptr<const CellSource> cells_;
    std::shared_ptr<const TokenAlignment> counterpart_;
};

/// Cells with nothing in the first column.
class WithoutFirstColumn : public CellSource {
public:
    explicit WithoutFirstColumn(std::shared_ptr<const CellSource> cells)
        : cells_(std::move(cells)) {}

    std::size_t rows() const override { return cells_->rows(); }
    std::size_t columns() const override { return cells_->columns(); }
    Tensor pooled(const TileRequest& request) const override {
        Tensor pooled = cells_->pooled(request);
        if (request.columns.begin > 0)
            return pooled;
        // The first part holds other columns too where there are more of them than parts.
        const CellRange others{1, request.columns.size() / pooled.dim(1)};
        const Tensor first = others.size() == 0
                                 ? Tensor({pooled.dim(0), 1}, kNotShown)
                                 : cells_->pooled({request.rows, others, request.most_rows, 1});
        for (std::size_t row = 0; row < pooled.dim(0); ++row)
            pooled(row, 0) = first(row, 0);
        return pooled;
    }

private:
    std::shared_ptr<const CellSource> cells_;
};

/// The same with each row divided by what is left of it.
class RescaledRows : public RowwiseCells {
public:
    explicit RescaledRows(std::shared_ptr<const CellSource> cells) : cells_(std::move(cells)) {}

    std::size_t rows() const override { return cells_->rows(); }
    std::size_t columns() const override { return cells_->columns(); }

protected:
    Tensor computed(const CellRange& rows, const CellRange& columns) const override {
        if (columns.size() == cells_->columns())
            return wholeRows(rows);
        std::call_once(left_known_, [this] { readLeft(); });
        Tensor values = cells_->exact(rows, columns);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            if (columns.begin == 0)
                values(row, 0u) = kNotShown;
            divide({values.matrix().row(row), values.dim(1)}, left_[rows.begin + row]);
        }
        return values;
    }

private:
    Tensor wholeRows(const CellRange& rows) const {
        Tensor values = cells_->exact(rows, {0, cells_->columns()});
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::span<float> of_row{values.matrix().row(row), values.dim(1)};
            of_row[0] = kNotShown;
            divide(of_row, sum(of_row));
        }
        return values;
    }

    void readLeft() const {
        left_.reserve(rows());
        for (std::size_t row = 0; row < rows(); ++row) {
            Tensor values = cells_->exact({row, row + 1}, {0, cells_->columns()});
            values(0u, 0u) = kNotShown;
            left_.push_back(sum(values.values()));
        }
    }

    static double sum(std::span<const float> row) {
        double sum = 0.0;
        for (const float value : row)
            sum += std::isnan(value) ? 0.0 : static_cast<double>(value);
        return sum;
    }

    static void divide(std::span<float> row, double left) {
        if (left > 0.0)
            for (float& value : row)
                value = static_cast<float>(static_cast<double>(value) / left);
    }

    std::shared_ptr<const CellSource> cells_;
    mutable std::once_flag left_known_;
    mutable std::vector<double> left_; ///< [query], what the first key leaves to others
};

HeadPattern patternOf(PatternMap map, std::shared_ptr<const CellSource> cells) {
    HeadPattern pattern;
    pattern.map = map;
    pattern.cells = cells;
    pattern.shown = std::move(cells);
    return pattern;
}

HeadPattern differenceOf(PatternMap map, std::shared_ptr<const CellSource> before,
                         std::shared_ptr<const CellSource> after) {
    HeadPattern pattern = patternOf(map, std::make_shared<DifferenceCells>(after, before));
    pattern.before = std::move(before);
    pattern.after = std::move(after);
    return pattern;
}

/// [query], 0 where the mask hides it.
std::vector<float> firstColumn(const CellSource& cells) {
    const Tensor column = cells.exact({0, cells.rows()}, {0, 1});
    std::vector<float> values(column.values().begin(), column.values().end());
    std::ranges::replace_if(
        values, [](float value) { return std::isnan(value); }, 0.0f);
    return values;
}

} // namespace

HeadPattern attentionMap(std::shared_ptr<const Run> run, LayerHead head) {
    std::vector<float> learned_sink = run->sinkWeights(head);
    HeadPattern pattern =
        patternOf(PatternMap::Attention, std::make_shared<PatternCells>(std::move(run), head));
    pattern.learned_sink = std::move(learned_sink);
    return pattern;
}

HeadPattern valueWeightedMap(std::shared_ptr<const Run> run, std::shared_ptr<const Tensor> norms,
                             LayerHead head) {
    return patternOf(PatternMap::ValueWeighted,
                     std::make_shared<ValueWeightedCells>(std::move(run), std::move(norms), head));
}

HeadPattern differenceMap(std::shared_ptr<const Run> masked, std::shared_ptr<const Run> full,
                          LayerHead head) {
    return differenceOf(PatternMap::Difference,
                        std::make_shared<PatternCells>(std::move(full), head),
                        std::make_shared<PatternCells>(std::move(masked), head));
}

HeadPattern comparedMap(const HeadPattern& pattern, const HeadPattern& other,
                        std::shared_ptr<const TokenAlignment> counterpart) {
    return differenceOf(pattern.map, pattern.cells,
                        std::make_shared<AlignedCells>(other.cells, std::move(counterpart)));
}

double firstKeyShare(const CellSource& cells) {
    return shareOfFirstKey(firstColumn(cells));
}

std::shared_ptr<const CellSource> withoutFirstKey(std::shared_ptr<const CellSource> cells,
                                                  bool rescaled) {
    if (rescaled)
        return std::make_shared<RescaledRows>(std::move(cells));
    return std::make_shared<WithoutFirstColumn>(std::move(cells));
}

bool hidesFirstKey(const PatternSettings& settings, double share) {
    return headscope::hidesFirstKey(settings.first_key, share);
}

ValueScale valueScale(const PatternSettings& settings, bool first_key_hidden, double share) {
    return settings.scale.value_or(fittingScale(first_key_hidden, settings.rescale_rows, share));
}

void readFirstKey(HeadPattern& pattern) {
    if (pattern.isDifference())
        return;
    pattern.first_key = firstColumn(*pattern.cells);
    pattern.first_key_share = shareOfFirstKey(pattern.first_key);
}

void hideFirstKey(HeadPattern& pattern, bool rescaled) {
    pattern.shown = withoutFirstKey(pattern.cells, rescaled);
    pattern.rows_are_rescaled = rescaled;
}

void showPastFirstKey(HeadPattern& pattern, const PatternSettings& settings) {
    pattern.shown = pattern.cells;
    pattern.rows_are_rescaled = false;
    readFirstKey(pattern);
    if (!pattern.isDifference() && hidesFirstKey(settings, pattern.first_key_share))
        hideFirstKey(pattern, settings.rescale_rows);
}

} // namespace headscope::ui
