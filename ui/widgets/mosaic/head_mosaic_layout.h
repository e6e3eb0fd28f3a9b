#pragma once

#include <QFont>
#include <QRect>
#include <QSize>

#include <optional>

namespace headscope::ui {

/// Where everything of a HeadMosaic is, in widget coordinates. Columns of one group are closer
/// together than groups are.
class MosaicLayout {
public:
    struct Grid {
        int rows = 0;
        int columns = 0;
        int columns_per_group = 1;
    };

    /// Cells of `side` pixels.
    MosaicLayout(Grid grid, const QFont& font, int side);
    /// The largest cells within the two bounds whose grid fits into `available`.
    static MosaicLayout filling(QSize available, Grid grid, const QFont& font, int smallest,
                                int largest);

    int side() const { return side_; }
    const Grid& grid() const { return grid_; }
    QSize size() const;
    QRect cellRect(int row, int column) const;
    std::optional<QPoint> cellAt(QPoint position) const; ///< (column, row)

    const QFont& headerFont() const { return header_font_; }
    QRect rowNumberRect(int row) const;
    QRect columnNumberRect(int column) const;
    /// Every how many rows, or columns, there is room for a number: 1, 2, 4, 8 …
    int rowNumberStep() const;
    int columnNumberStep() const;
    QRect rowNameRect() const; ///< upright; its text runs upwards
    QRect columnNameRect() const;
    int groups() const;
    /// The line above the cells of one group; null where every column is its own group.
    QRect bracketRect(int group) const;

private:
    int stepFor(int needed) const;
    int columnLeft(int column) const;
    int gap() const;
    int groupGap() const;

    Grid grid_;
    QFont header_font_;
    int side_ = 0;
    int line_ = 0;   ///< height of a line of header text
    int number_ = 0; ///< width of the widest row number
    QPoint origin_;  ///< corner of the first cell
};

} // namespace headscope::ui
