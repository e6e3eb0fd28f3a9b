#include "ui/widgets/heatmap/heatmap_outline.h"

#include "ui/widgets/colours.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kLeastSquare = 6.0; ///< pixels that a line must leave inside itself
constexpr double kRoomySquare = 14.0;

/// Grown by one square to each side, so that the edge of what is in sight is no border.
CellRange withNeighbours(const CellRange& range, std::size_t step, std::size_t count) {
    return {range.begin - std::min(range.begin, step), std::min(range.end + step, count)};
}

std::size_t cellsOfSquare(double cell) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(kLeastSquare / cell)));
}

} // namespace

void OutlineLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

QRect OutlineLayer::clipRect() const {
    return plot_->layout().map.toRect().adjusted(-1, -1, 2, 2); // cells at the border have it whole
}

CellSquares OutlineLayer::squaresInSight(QSizeF cell) const {
    const std::size_t row_step = cellsOfSquare(cell.height());
    const std::size_t column_step = cellsOfSquare(cell.width());
    return {withNeighbours(plot_->visibleRows(), row_step, plot_->rows()),
            withNeighbours(plot_->visibleColumns(), column_step, plot_->columns()), row_step,
            column_step};
}

void OutlineLayer::draw(QCPPainter* painter) {
    const HeatmapOutline& outline = plot_->content().outline;
    if (plot_->isEmpty() || !outline.columns)
        return;
    const QRectF map = plot_->layout().map;
    const QRectF area = plot_->visibleArea();
    const QSizeF cell(map.width() / area.width(), map.height() / area.height());
    const auto point = [&](QPointF at) {
        return QPointF(map.left() + (at.x() - area.left()) * cell.width(),
                       map.top() + (at.y() - area.top()) * cell.height());
    };
    QList<QLineF> lines = outlineAround(outline.columns, squaresInSight(cell));
    for (QLineF& line : lines)
        line.setPoints(point(line.p1()), point(line.p2()));
    // A casing, so that it is seen on cells of its own colour.
    const double width = std::min(cell.width(), cell.height()) < kRoomySquare ? 1.0 : 2.0;
    painter->setPen(QPen(readableOn(outline.colour), width + 2.0, Qt::SolidLine, Qt::SquareCap));
    painter->drawLines(lines);
    painter->setPen(QPen(outline.colour, width, Qt::SolidLine, Qt::SquareCap));
    painter->drawLines(lines);
}

} // namespace headscope::ui
