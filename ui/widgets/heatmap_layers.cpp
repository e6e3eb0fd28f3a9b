#include "ui/widgets/heatmap_layers.h"

#include "ui/widgets/type_colour.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kLinesFrom = 9.0;    ///< pixels per cell from which lines part the cells
constexpr double kNumbersFrom = 32.0; ///< pixels per cell from which its value is written
/// Up to so many cells a vector figure holds one rectangle each; beyond, an image.
constexpr double kMostRectangles = 16384.0;

/// First and one past the last cell that the range touches.
std::pair<std::size_t, std::size_t> touched(double first, double length, std::size_t count) {
    const auto begin = static_cast<std::size_t>(std::max(0.0, std::floor(first + 1e-9)));
    const auto end = static_cast<std::size_t>(std::max(0.0, std::ceil(first + length - 1e-9)));
    return {std::min(begin, count - 1), std::min(std::max(end, begin + 1), count)};
}

template <class Visit>
void forVisibleCells(const HeatmapPlot& plot, Visit visit) {
    const QRectF area = plot.visibleArea();
    const auto [first_row, end_row] = touched(area.top(), area.height(), plot.values().rows);
    const auto [first_column, end_column] = touched(area.left(), area.width(), plot.values().cols);
    for (std::size_t row = first_row; row < end_row; ++row) {
        for (std::size_t column = first_column; column < end_column; ++column)
            visit(row, column);
    }
}

/// Of a cell, in pixels.
double smallerSide(const HeatmapPlot& plot) {
    const QSizeF cell = plot.cellRect(0, 0).size();
    return std::min(cell.width(), cell.height());
}

/// Three digits are enough for a cell: "0.62", "−0.06", "12.3", "140".
QString cellText(double value) {
    const int digits = std::fabs(value) < 9.995 ? 2 : std::fabs(value) < 99.95 ? 1 : 0;
    QString text = QString::number(value, 'f', digits);
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
    if (painter->modes().testFlag(QCPPainter::pmVectorized) &&
        area.width() * area.height() <= kMostRectangles)
        drawRectangles(*painter);
    else
        drawImage(*painter);
    if (smallerSide(*plot_) >= kLinesFrom)
        drawLines(*painter);
    if (smallerSide(*plot_) >= kNumbersFrom)
        drawNumbers(*painter);
}

void CellLayer::drawImage(QCPPainter& painter) const {
    const QRectF map = plot_->layout().map;
    // One image pixel per pixel of the device; vector files get twice that.
    const double scale = painter.modes().testFlag(QCPPainter::pmVectorized)
                             ? 2.0
                             : painter.device()->devicePixelRatioF();
    const QSize pixels((map.size() * scale).toSize());
    painter.drawImage(map,
                      renderCells(plot_->values(), plot_->visibleArea(), pixels, plot_->colours()));
}

void CellLayer::drawRectangles(QCPPainter& painter) const {
    const MatrixView values = plot_->values();
    const QRectF map = plot_->layout().map;
    forVisibleCells(*plot_, [&](std::size_t row, std::size_t column) {
        const QRgb colour = cellColour(values(row, column), plot_->colours());
        if (qAlpha(colour) > 0)
            painter.fillRect(plot_->cellRect(row, column).intersected(map),
                             QColor::fromRgb(colour));
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
    const MatrixView values = plot_->values();
    QFont font = plot_->layout().fonts.label;
    font.setPixelSize(std::clamp(static_cast<int>(smallerSide(*plot_) * 0.3), 10, 14));
    painter.setFont(font);
    forVisibleCells(*plot_, [&](std::size_t row, std::size_t column) {
        const float value = values(row, column);
        if (std::isnan(value))
            return;
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
    painter->drawText(layout.title, Qt::AlignCenter,
                      QFontMetricsF(layout.fonts.title)
                          .elidedText(content.title, Qt::ElideRight, layout.title.width()));
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
             QRectF(layout.map.left() - 2.0 - width, y - metrics.height() / 2.0, width,
                    metrics.height()),
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

} // namespace headscope::ui
