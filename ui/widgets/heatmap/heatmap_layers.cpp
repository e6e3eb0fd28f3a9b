#include "ui/widgets/heatmap/heatmap_layers.h"

#include "ui/widgets/colours.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {

namespace {

constexpr double kLinesFrom = 9.0;    ///< pixels per cell from which lines part the cells
constexpr double kNumbersFrom = 32.0; ///< pixels per cell from which its value is written
/// Up to so many cells a vector figure holds one rectangle each; beyond, an image.
constexpr double kMostRectangles = 16384.0;

template <class Visit>
void forVisibleCells(const HeatmapPlot& plot, Visit visit) {
    const CellRange rows = plot.visibleRows();
    const CellRange columns = plot.visibleColumns();
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        for (std::size_t column = columns.begin; column < columns.end; ++column) {
            if (const auto value = plot.known().value(row, column); value && !std::isnan(*value))
                visit(row, column, *value);
        }
    }
}

/// Where the edges of `range` are among `pixels` that show `length` cells from `first` on.
std::pair<int, int> pixelsOf(const CellRange& range, double first, double length, int pixels) {
    const auto pixel = [&](std::size_t edge) {
        const double at = (static_cast<double>(edge) - first) * pixels / length;
        return std::clamp(at, 0.0, static_cast<double>(pixels));
    };
    return {static_cast<int>(std::ceil(pixel(range.begin) - 1e-6)),
            static_cast<int>(std::floor(pixel(range.end) + 1e-6))};
}

/// Place of a cell among the values of a tile, along one side.
double placeIn(const CellRange& range, std::size_t values, double cell) {
    return (cell - static_cast<double>(range.begin)) * static_cast<double>(values) /
           static_cast<double>(range.size());
}

/// The smaller side of a cell, in pixels.
double smallerSide(const HeatmapPlot& plot) {
    const QSizeF cell = plot.cellRect(0, 0).size();
    return std::min(cell.width(), cell.height());
}

/// Three digits are enough for a cell: "0.62", "−0.06", "12.3", "140".
QString cellText(double value) {
    const int digits = std::fabs(value) < 9.995 ? 2 : std::fabs(value) < 99.95 ? 1 : 0;
    QString text = QString::number(value, 'f', digits);
    if (text.toDouble() == 0.0)
        text.remove(QLatin1Char('-')); // of a value that rounds to nothing
    return text.replace(QLatin1Char('-'), QChar(0x2212));
}

} // namespace

void CellLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

QRect CellLayer::clipRect() const {
    return plot_->layout().map.toRect();
}

void CellLayer::draw(QCPPainter* painter) {
    if (plot_->isEmpty())
        return;
    const QRectF area = plot_->visibleArea();
    const std::vector<const CellTile*> tiles =
        plot_->known().covering(plot_->visibleRows(), plot_->visibleColumns());
    if (painter->modes().testFlag(QCPPainter::pmVectorized) &&
        area.width() * area.height() <= kMostRectangles && tiles.front()->isExact())
        drawRectangles(*painter);
    else
        for (const CellTile* tile : tiles)
            drawTile(*painter, *tile);
    if (smallerSide(*plot_) >= kLinesFrom)
        drawLines(*painter);
    if (smallerSide(*plot_) >= kNumbersFrom)
        drawNumbers(*painter);
}

void CellLayer::drawTile(QCPPainter& painter, const CellTile& tile) const {
    const QRectF map = plot_->layout().map;
    const QRectF area = plot_->visibleArea();
    const double scale = painter.modes().testFlag(QCPPainter::pmVectorized)
                             ? kVectorScale
                             : painter.device()->devicePixelRatioF();
    const QSize pixels((map.size() * scale).toSize());
    const auto [left, right] = pixelsOf(tile.columns, area.left(), area.width(), pixels.width());
    const auto [top, bottom] = pixelsOf(tile.rows, area.top(), area.height(), pixels.height());
    if (left >= right || top >= bottom)
        return;
    const auto x = [&](int pixel) {
        return placeIn(tile.columns, tile.values.dim(1),
                       area.left() + pixel * area.width() / pixels.width());
    };
    const auto y = [&](int pixel) {
        return placeIn(tile.rows, tile.values.dim(0),
                       area.top() + pixel * area.height() / pixels.height());
    };
    const QSizeF pixel(map.width() / pixels.width(), map.height() / pixels.height());
    const QRectF target(map.left() + left * pixel.width(), map.top() + top * pixel.height(),
                        (right - left) * pixel.width(), (bottom - top) * pixel.height());
    painter.drawImage(target,
                      renderCells(tile.values.matrix(),
                                  QRectF(QPointF(x(left), y(top)), QPointF(x(right), y(bottom))),
                                  QSize(right - left, bottom - top), plot_->colours()));
}

void CellLayer::drawRectangles(QCPPainter& painter) const {
    const QRectF map = plot_->layout().map;
    forVisibleCells(*plot_, [&](std::size_t row, std::size_t column, float value) {
        painter.fillRect(plot_->cellRect(row, column).intersected(map),
                         QColor::fromRgb(cellColour(value, plot_->colours())));
    });
}

void CellLayer::drawLines(QCPPainter& painter) const {
    const QRectF map = plot_->layout().map;
    const QRectF area = plot_->visibleArea();
    QColor colour = plot_->theme().background;
    colour.setAlphaF(0.35f);
    painter.setPen(QPen(colour, 1.0));
    for (double row = std::ceil(area.top()); row <= area.bottom(); ++row) {
        const double y = plot_->cellRect(static_cast<std::size_t>(row), 0).top();
        painter.drawLine(QLineF(map.left(), y, map.right(), y));
    }
    for (double column = std::ceil(area.left()); column <= area.right(); ++column) {
        const double x = plot_->cellRect(0, static_cast<std::size_t>(column)).left();
        painter.drawLine(QLineF(x, map.top(), x, map.bottom()));
    }
}

void CellLayer::drawNumbers(QCPPainter& painter) const {
    QFont font = plot_->layout().fonts.label;
    font.setPixelSize(std::clamp(static_cast<int>(smallerSide(*plot_) * 0.3), 10, 14));
    painter.setFont(font);
    forVisibleCells(*plot_, [&](std::size_t row, std::size_t column, float value) {
        QColor colour = readableOn(QColor::fromRgb(cellColour(value, plot_->colours())));
        colour.setAlphaF(std::fabs(value) < 0.005f ? 0.5f : 1.0f);
        painter.setPen(colour);
        painter.drawText(plot_->cellRect(row, column), Qt::AlignCenter,
                         cellText(static_cast<double>(value)));
    });
}

void TextLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void TextLayer::draw(QCPPainter* painter) {
    const HeatmapContent& content = plot_->content();
    const HeatmapLayout& layout = plot_->layout();
    painter->setFont(layout.fonts.title);
    painter->setPen(plot_->theme().text);
    painter->drawText(layout.title, Qt::AlignCenter | Qt::TextWordWrap, content.title);
    painter->setPen(plot_->theme().faint);
    painter->setFont(layout.fonts.label);
    painter->drawText(layout.column_name, Qt::AlignCenter | Qt::TextDontClip, content.column_axis);
    painter->save();
    painter->translate(layout.row_name.bottomLeft());
    painter->rotate(-90.0);
    painter->drawText(QRectF(QPointF(), layout.row_name.size().transposed()),
                      Qt::AlignCenter | Qt::TextDontClip, content.row_axis);
    painter->restore();
    if (layout.note.isEmpty())
        return;
    painter->setFont(layout.fonts.note);
    painter->drawText(layout.note, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, content.note);
}

void MarkLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(true);
}

void MarkLayer::draw(QCPPainter* painter) {
    if (plot_->isEmpty())
        return;
    const HeatmapMarks& marks = plot_->marks();
    if (marks.focused) {
        painter->setPen(QPen(plot_->theme().accent, 1.5));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(plot_->layout().map.adjusted(-1.5, -1.5, 1.5, 1.5));
    }
    if (marks.locked_row)
        drawLockedRow(*painter, *marks.locked_row);
    if (marks.hovered)
        drawCrosshair(*painter, *marks.hovered);
}

void MarkLayer::drawLockedRow(QCPPainter& painter, std::size_t row) const {
    const QRectF map = plot_->layout().map;
    QRectF band = plot_->cellRect(row, 0);
    band.setLeft(map.left());
    band.setRight(map.right());
    if (!map.intersects(band))
        return;
    // At least four pixels high, with a casing, so that it is seen on every colour and zoom.
    const double grow = std::max(0.0, (4.0 - band.height()) / 2.0) + 1.0;
    band.adjust(-1.0, -grow, 1.0, grow);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(plot_->theme().background, 4.0));
    painter.drawRect(band);
    painter.setPen(QPen(plot_->theme().accent, 2.0));
    painter.drawRect(band);
    drawRowLabel(painter, row);
}

void MarkLayer::drawCrosshair(QCPPainter& painter, const HeatmapCell& cell) const {
    const QRectF map = plot_->layout().map;
    const QRectF rect = plot_->cellRect(cell.row, cell.column).intersected(map);
    QColor line = plot_->theme().accent;
    line.setAlphaF(0.8f);
    painter.setPen(QPen(line, 1.0));
    // In cells with numbers the lines would strike them out, and the labels are near.
    if (smallerSide(*plot_) < kNumbersFrom) {
        painter.drawLine(QLineF(map.left(), rect.center().y(), rect.left(), rect.center().y()));
        painter.drawLine(QLineF(rect.center().x(), map.top(), rect.center().x(), rect.top()));
    }
    const double grow = std::max(0.0, (6.0 - std::min(rect.width(), rect.height())) / 2.0);
    const QRectF box = rect.adjusted(-grow, -grow, grow, grow);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(Qt::black, 3.0));
    painter.drawRect(box);
    painter.setPen(QPen(Qt::white, 1.0));
    painter.drawRect(box);
    drawRowLabel(painter, cell.row);
    drawColumnLabel(painter, cell.column);
}

namespace {

/// `text` on the accent colour in `pill`, in the painter's coordinates.
void drawPill(QCPPainter& painter, const QRectF& pill, const QString& text,
              const HeatmapTheme& theme) {
    painter.setPen(QPen(theme.background, 2.0));
    painter.setBrush(theme.accent);
    painter.drawRoundedRect(pill, 3.0, 3.0);
    painter.setPen(theme.on_accent);
    painter.drawText(pill, Qt::AlignCenter | Qt::TextDontClip, text);
}

} // namespace

void MarkLayer::drawRowLabel(QCPPainter& painter, std::size_t row) const {
    const HeatmapLayout& layout = plot_->layout();
    const QString text = plot_->rowLabel(row);
    const QFontMetricsF metrics(layout.fonts.label);
    const double y = plot_->cellRect(row, 0).center().y();
    const double width = std::max(metrics.horizontalAdvance(text) + 6.0, metrics.height());
    painter.setFont(layout.fonts.label);
    drawPill(painter,
             QRectF(layout.map.left() - layout.bars.width() - 2.0 - width,
                    y - metrics.height() / 2.0, width, metrics.height()),
             text, plot_->theme());
}

void MarkLayer::drawColumnLabel(QCPPainter& painter, std::size_t column) const {
    const HeatmapLayout& layout = plot_->layout();
    const QString text = plot_->columnLabel(column);
    const QFontMetricsF metrics(layout.fonts.label);
    const QSizeF size(std::max(metrics.horizontalAdvance(text) + 6.0, metrics.height()),
                      metrics.height());
    painter.save();
    painter.setFont(layout.fonts.label);
    painter.translate(plot_->cellRect(0, column).center().x(), layout.map.top() - 2.0);
    QRectF pill(QPointF(-size.width() / 2.0, -size.height()), size);
    if (layout.columns_upright) {
        painter.rotate(-90.0);
        pill.moveTopLeft(QPointF(0.0, -size.height() / 2.0));
    }
    drawPill(painter, pill, text, plot_->theme());
    painter.restore();
}

namespace {

constexpr double kRoomyRow = 9.0; ///< pixels from which bars keep apart

} // namespace

void BarLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

void BarLayer::draw(QCPPainter* painter) {
    const std::vector<float>& bars = plot_->content().bars;
    if (plot_->isEmpty() || bars.empty())
        return;
    const QRectF map = plot_->layout().map;
    const QRectF margin = plot_->layout().bars;
    const CellRange rows = plot_->visibleRows();
    if (margin.isEmpty() && plot_->visibleColumns().begin > 0)
        return;
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        QRectF place = plot_->cellRect(row, 0);
        if (!margin.isEmpty()) {
            place.setLeft(margin.left());
            place.setRight(margin.right());
        }
        const double inset = place.height() >= kRoomyRow ? place.height() * 0.25 : 0.0;
        place.adjust(inset > 0.0 ? 1.0 : 0.0, inset, 0.0, -inset);
        place.setWidth(place.width() * static_cast<double>(std::clamp(bars[row], 0.0f, 1.0f)));
        const QRectF sight = margin.isEmpty() ? map : margin;
        painter->fillRect(place.intersected(sight), plot_->theme().bar);
    }
}

} // namespace headscope::ui
