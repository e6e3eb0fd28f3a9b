#include "ui/widgets/mosaic/head_mosaic_layout.h"

#include <QFontMetrics>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kMargin = 4;
constexpr int kHeaderGap = 4;
constexpr int kBracket = 7;          ///< height kept for the brackets of groups
constexpr int kSideForGaps = 6;      ///< below this side cells touch
constexpr int kSideForWideGaps = 12; ///< below this one they are a pixel apart

} // namespace

MosaicLayout::MosaicLayout(Grid grid, const QFont& font, int side)
    : grid_(grid), header_font_(font), side_(side) {
    if (font.pointSizeF() > 0)
        header_font_.setPointSizeF(font.pointSizeF() * 0.85);
    const QFontMetrics metrics(header_font_);
    line_ = metrics.height();
    number_ = metrics.horizontalAdvance(QString::number(std::max(grid.rows - 1, 0)));
    const int bracket = grid.columns_per_group > 1 ? kBracket : 0;
    origin_ = QPoint(kMargin + line_ + kHeaderGap + number_ + kHeaderGap,
                     kMargin + 2 * line_ + bracket + kHeaderGap);
}

MosaicLayout MosaicLayout::filling(QSize available, Grid grid, const QFont& font, int smallest,
                                   int largest) {
    int fits = smallest;
    for (int too_large = largest + 1; too_large - fits > 1;) {
        const int side = (fits + too_large) / 2;
        const QSize needed = MosaicLayout(grid, font, side).size();
        const bool has_room =
            needed.width() <= available.width() && needed.height() <= available.height();
        (has_room ? fits : too_large) = side;
    }
    return MosaicLayout(grid, font, fits);
}

int MosaicLayout::gap() const {
    return side_ < kSideForGaps ? 0 : side_ < kSideForWideGaps ? 1 : std::max(2, side_ / 11);
}

int MosaicLayout::groupGap() const {
    if (grid_.columns_per_group <= 1)
        return 0;
    return side_ < kSideForGaps ? 1 : side_ < kSideForWideGaps ? 2 : std::max(4, side_ / 5);
}

int MosaicLayout::groups() const {
    return (grid_.columns + grid_.columns_per_group - 1) / grid_.columns_per_group;
}

int MosaicLayout::columnLeft(int column) const {
    return origin_.x() + column * (side_ + gap()) + column / grid_.columns_per_group * groupGap();
}

QRect MosaicLayout::cellRect(int row, int column) const {
    return {columnLeft(column), origin_.y() + row * (side_ + gap()), side_, side_};
}

QSize MosaicLayout::size() const {
    const QRect last = cellRect(std::max(grid_.rows - 1, 0), std::max(grid_.columns - 1, 0));
    return {last.right() + 1 + kMargin, last.bottom() + 1 + kMargin};
}

std::optional<QPoint> MosaicLayout::cellAt(QPoint position) const {
    if (position.x() < origin_.x() || position.y() < origin_.y())
        return std::nullopt;
    const int row = (position.y() - origin_.y()) / (side_ + gap());
    for (int column = 0; row < grid_.rows && column < grid_.columns; ++column) {
        if (cellRect(row, column).contains(position))
            return QPoint(column, row);
    }
    return std::nullopt;
}

QRect MosaicLayout::rowNumberRect(int row) const {
    const QRect cell = cellRect(row, 0);
    return {cell.left() - kHeaderGap - number_, cell.top(), number_, side_};
}

QRect MosaicLayout::columnNumberRect(int column) const {
    return QRect(columnLeft(column), kMargin + line_, side_, line_);
}

int MosaicLayout::stepFor(int needed) const {
    int step = 1;
    while (step * (side_ + gap()) < needed)
        step *= 2;
    return step;
}

int MosaicLayout::rowNumberStep() const {
    return stepFor(line_);
}

int MosaicLayout::columnNumberStep() const {
    const QString widest = QString::number(std::max(grid_.columns - 1, 0));
    return stepFor(QFontMetrics(header_font_).horizontalAdvance(widest) + kHeaderGap / 2);
}

QRect MosaicLayout::rowNameRect() const {
    return {kMargin, origin_.y(), line_, size().height() - kMargin - origin_.y()};
}

QRect MosaicLayout::columnNameRect() const {
    return {origin_.x(), kMargin, size().width() - kMargin - origin_.x(), line_};
}

QRect MosaicLayout::bracketRect(int group) const {
    if (grid_.columns_per_group <= 1)
        return {};
    const int first = group * grid_.columns_per_group;
    const int last = std::min(first + grid_.columns_per_group, grid_.columns) - 1;
    const int left = columnLeft(first);
    return {left, origin_.y() - kBracket, columnLeft(last) + side_ - left, kBracket - 2};
}

} // namespace headscope::ui
