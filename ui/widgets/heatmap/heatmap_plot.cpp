#include "ui/widgets/heatmap/heatmap_plot.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap/heatmap_layers.h"
#include "ui/widgets/heatmap/heatmap_outline.h"

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr int kScaleBar = 14;
constexpr int kScaleGap = 14;
constexpr double kFewestCells = 2.0; ///< zoom stops here
constexpr double kWheelZoom = 0.8;
constexpr int kPlotLabelPadding = 5; ///< QCustomPlot's own, between labels and map

QCPColorGradient gradientOf(ColourMap map) {
    QMap<double, QColor> stops;
    for (int i = 0; i < 256; ++i)
        stops.insert(i / 255.0, QColor::fromRgb(colourTable(map)[static_cast<std::size_t>(i)]));
    QCPColorGradient gradient;
    gradient.setLevelCount(256);
    gradient.setColorStops(stops);
    return gradient;
}

/// `wanted` came from scaling `before` around some point; the range of `size` around that point.
QCPRange scaledTo(double size, const QCPRange& wanted, const QCPRange& before) {
    const double change = before.size() - wanted.size();
    const double fixed = (wanted.lower * before.size() - before.lower * wanted.size()) / change;
    const double lower = fixed - (fixed - before.lower) * size / before.size();
    return QCPRange(lower, lower + size);
}

/// The cells that the range of an axis touches.
CellRange touched(const QCPRange& range, std::size_t count) {
    const auto begin = static_cast<std::size_t>(std::max(0.0, std::floor(range.lower + 1e-9)));
    const auto end = static_cast<std::size_t>(std::max(0.0, std::ceil(range.upper - 1e-9)));
    const std::size_t first = std::min(begin, count - 1);
    return {first, std::min(std::max(end, first + 1), count)};
}

/// Every n-th label, so that neighbours of `thickness` pixels keep apart.
std::size_t labelStep(double thickness, double cell) {
    return static_cast<std::size_t>(std::max(1.0, std::ceil(thickness / cell)));
}

} // namespace

HeatmapPlot::HeatmapPlot(QWidget* parent) : QCustomPlot(parent) {
    setFocusPolicy(Qt::NoFocus);
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    setUpAxes();
    setUpScale();
    // The plot owns what is added to its layers.
    new CellLayer(this);
    new OutlineLayer(this);
    new BarLayer(this);
    new TextLayer(this);
    new MarkLayer(this);
    setTheme(HeatmapTheme::fromPalette(palette()), font());
}

void HeatmapPlot::setUpAxes() {
    plotLayout()->setAutoMargins(QCP::msNone);
    plotLayout()->setMargins(QMargins());
    plotLayout()->setColumnSpacing(0);
    axisRect()->setAutoMargins(QCP::msNone);
    axisRect()->setupFullAxesBox();
    axisRect()->setRangeDragAxes(xAxis2, yAxis);
    axisRect()->setRangeZoomAxes(xAxis2, yAxis);
    axisRect()->setRangeZoomFactor(kWheelZoom);
    yAxis->setRangeReversed(true);
    row_ticks_.reset(new QCPAxisTickerText);
    column_ticks_.reset(new QCPAxisTickerText);
    yAxis->setTicker(row_ticks_);
    xAxis2->setTicker(column_ticks_);
    for (QCPAxis* axis : axisRect()->axes()) {
        axis->setTickLength(0);
        axis->setSubTicks(false);
        axis->setTicks(axis == yAxis || axis == xAxis2);
        axis->setTickLabels(axis->ticks());
        axis->grid()->setVisible(false);
        // Tokens such as "1e5" are no powers of ten.
        axis->setNumberFormat(QStringLiteral("g"));
    }
    for (QCPAxis* axis : {yAxis, xAxis2})
        connect(
            axis, qOverload<const QCPRange&, const QCPRange&>(&QCPAxis::rangeChanged), this,
            [this, axis](const QCPRange&, const QCPRange& before) { keepInside(axis, before); });
}

void HeatmapPlot::setUpScale() {
    scale_ = new QCPColorScale(this);
    scale_->setType(QCPAxis::atRight);
    scale_->setGradient(gradientOf(colours_.map));
    scale_->setBarWidth(kScaleBar);
    scale_->setRangeDrag(false);
    scale_->setRangeZoom(false);
    scale_->setAutoMargins(QCP::msNone);
    scale_->axis()->setSubTicks(false);
    scale_->axis()->setTickLength(0, 3);
    plotLayout()->addElement(0, 1, scale_);
}

void HeatmapPlot::setContent(HeatmapContent content) {
    const std::size_t rows_before = rows();
    const std::size_t columns_before = columns();
    if (content.cells != known_.source())
        known_ = KnownCells(content.cells);
    content_ = std::move(content);
    updateColours();
    scale_->setLabel(content_.value_name);
    layOut(size());
    if (rows() != rows_before || columns() != columns_before)
        showAll();
    replot(rpQueuedReplot);
}

std::optional<TileRequest> HeatmapPlot::missingTile(double scale) const {
    if (isEmpty())
        return std::nullopt;
    const auto pixels = [scale](double side) {
        return static_cast<std::size_t>(std::ceil(side * scale));
    };
    const TileRequest wanted{visibleRows(), visibleColumns(), pixels(layout_.map.height()),
                             pixels(layout_.map.width())};
    return known_.areEnoughFor(wanted) ? std::nullopt : std::optional(wanted);
}

void HeatmapPlot::sharpen(std::shared_ptr<const CellTile> tile) {
    known_.sharpen(std::move(tile));
    replot(rpQueuedReplot);
}

void HeatmapPlot::setColouring(ColourMap map, std::optional<std::pair<double, double>> range,
                               ValueScale value_scale) {
    map_ = map;
    range_ = range;
    value_scale_ = value_scale;
    updateColours();
    layOut(size());
    replot(rpQueuedReplot);
}

void HeatmapPlot::updateColours() {
    const ColourMap map = isDiverging(map_) ? divergingOn(theme_.background) : map_;
    if (map != colours_.map)
        scale_->setGradient(gradientOf(map));
    colours_ = coloursFor(map, range_,
                          isEmpty() ? MatrixView{} : content_.cells->overview().values.matrix());
    colours_.scale = value_scale_;
    if (value_scale_ == ValueScale::Linear) {
        scale_->axis()->setTicker(QSharedPointer<QCPAxisTicker>(new QCPAxisTicker));
        return scale_->setDataRange(QCPRange(colours_.low, colours_.high));
    }
    const QSharedPointer<QCPAxisTickerText> marks(new QCPAxisTickerText);
    for (const double mark : scaleMarks(colours_))
        marks->addTick(fractionOf(mark, colours_), QString::number(mark, 'g', 2));
    scale_->axis()->setTicker(marks);
    scale_->setDataRange(QCPRange(0.0, 1.0));
}

void HeatmapPlot::setTheme(const HeatmapTheme& theme, const QFont& text_font) {
    theme_ = theme;
    font_ = text_font;
    applyTheme();
    updateColours();
    layOut(size());
    replot(rpQueuedReplot);
}

void HeatmapPlot::applyTheme() {
    setBackground(theme_.background);
    axisRect()->setBackground(theme_.masked);
    const QList<QCPAxis*> axes = axisRect()->axes() + scale_->axis()->axisRect()->axes();
    for (QCPAxis* axis : axes) {
        axis->setBasePen(QPen(theme_.frame));
        axis->setTickPen(axis == scale_->axis() ? QPen(theme_.frame) : QPen(Qt::transparent));
        axis->setTickLabelColor(theme_.text);
        axis->setLabelColor(theme_.faint);
    }
}

void HeatmapPlot::setMarks(const HeatmapMarks& marks) {
    if (marks == marks_)
        return;
    marks_ = marks;
    layer(QStringLiteral("overlay"))->replot();
}

void HeatmapPlot::setNoteShown(bool shown) {
    note_shown_ = shown;
    layOut(size());
}

double HeatmapPlot::scaleWidth(const QFont& label_font) {
    scale_->axis()->setTickLabelFont(label_font);
    scale_->axis()->setLabelFont(label_font);
    scale_->update(QCPLayoutElement::upPreparation);
    scale_->update(QCPLayoutElement::upMargins);
    return scale_->minimumSize().width();
}

void HeatmapPlot::layOut(QSize size) {
    if (isEmpty())
        return;
    const HeatmapFonts fonts(font_);
    const double scale_width = scaleWidth(fonts.label);
    const LabelWidths widths{row_label_width_.of(content_.row_labels, fonts.label),
                             column_label_width_.of(content_.column_labels, fonts.label)};
    layout_ = layOutHeatmap(content_, size, fonts, widths, scale_width + kScaleGap, note_shown_);

    const QRect map = layout_.map.toRect();
    const int scale_column = static_cast<int>(scale_width) + kScaleGap;
    const int right = size.width() - map.right() - 1 - scale_column;
    plotLayout()->setMargins(QMargins(0, 0, std::max(0, right), 0));
    const int bottom = size.height() - map.bottom() - 1;
    axisRect()->setMargins(QMargins(map.left(), map.top(), 0, bottom));
    scale_->setMargins(QMargins(kScaleGap, map.top(), 0, bottom));
    yAxis->setTickLabelFont(layout_.fonts.label);
    yAxis->setTickLabelPadding(kPlotLabelPadding + static_cast<int>(layout_.bars.width()));
    xAxis2->setTickLabelFont(layout_.fonts.label);
    xAxis2->setTickLabelRotation(layout_.columns_upright ? -90.0 : 0.0);
    updateTicks();
}

void HeatmapPlot::resizeEvent(QResizeEvent* event) {
    layOut(event->size());
    QCustomPlot::resizeEvent(event);
}

QString HeatmapPlot::shortened(const QStringList& labels, std::size_t index) const {
    const QString label = labels.value(static_cast<qsizetype>(index), QString::number(index));
    return QFontMetricsF(layout_.fonts.label)
        .elidedText(label, Qt::ElideRight, layout_.longest_label + 1.0);
}

QString HeatmapPlot::rowLabel(std::size_t row) const {
    return shortened(content_.row_labels, row);
}

QString HeatmapPlot::columnLabel(std::size_t column) const {
    return shortened(content_.column_labels, column);
}

void HeatmapPlot::updateTicks() {
    if (isEmpty())
        return;
    const QRectF area = visibleArea();
    const double line = QFontMetricsF(layout_.fonts.label).height();
    const auto fill = [&](QCPAxisTickerText& ticker, double first, double length, double pixels,
                          double thickness, auto label) {
        ticker.clear();
        const std::size_t step = labelStep(thickness, pixels / length);
        const auto begin = static_cast<std::size_t>(std::max(0.0, std::floor(first)));
        const double end = std::ceil(first + length);
        for (std::size_t i = (begin + step - 1) / step * step; static_cast<double>(i) < end;
             i += step)
            ticker.addTick(static_cast<double>(i) + 0.5, label(i));
    };
    fill(*row_ticks_, area.top(), area.height(), layout_.map.height(), line,
         [this](std::size_t row) { return rowLabel(row); });
    fill(*column_ticks_, area.left(), area.width(), layout_.map.width(),
         layout_.columns_upright ? line : 0.0,
         [this](std::size_t column) { return columnLabel(column); });
}

void HeatmapPlot::keepInside(QCPAxis* axis, const QCPRange& before) {
    const auto count = static_cast<double>(axis == yAxis ? rows() : columns());
    const QCPRange wanted = axis->range();
    const double fewest = std::min(kFewestCells, count);
    QCPRange kept = wanted;
    if (wanted.size() >= count)
        kept = QCPRange(0.0, count);
    else if (wanted.size() < fewest - 1e-9)
        kept = scaledTo(fewest, wanted, before);
    else if (wanted.lower < 0.0)
        kept = QCPRange(0.0, wanted.size());
    else if (wanted.upper > count)
        kept = QCPRange(count - wanted.size(), count);
    if (kept.lower != wanted.lower || kept.upper != wanted.upper)
        return axis->setRange(kept); // comes back here
    updateTicks();
    emit visibleAreaChanged();
}

QRectF HeatmapPlot::visibleArea() const {
    const QCPRange columns = xAxis2->range();
    const QCPRange rows = yAxis->range();
    return {columns.lower, rows.lower, columns.size(), rows.size()};
}

void HeatmapPlot::setVisibleArea(const QRectF& area) {
    if (area.isEmpty())
        return;
    xAxis2->setRange(area.left(), area.right());
    yAxis->setRange(area.top(), area.bottom());
    replot(rpQueuedReplot);
}

void HeatmapPlot::showAll() {
    setVisibleArea(QRectF(0, 0, static_cast<double>(columns()), static_cast<double>(rows())));
}

CellRange HeatmapPlot::visibleRows() const {
    return touched(yAxis->range(), rows());
}

CellRange HeatmapPlot::visibleColumns() const {
    return touched(xAxis2->range(), columns());
}

void HeatmapPlot::zoom(double factor, QPointF around) {
    xAxis2->scaleRange(factor, xAxis2->pixelToCoord(around.x()));
    yAxis->scaleRange(factor, yAxis->pixelToCoord(around.y()));
    replot(rpQueuedReplot);
}

std::optional<HeatmapCell> HeatmapPlot::cellAt(QPointF position) const {
    if (isEmpty() || !layout_.map.contains(position))
        return std::nullopt;
    const QRectF area = visibleArea();
    const double x = (position.x() - layout_.map.left()) / layout_.map.width();
    const double y = (position.y() - layout_.map.top()) / layout_.map.height();
    const auto row = static_cast<std::size_t>(area.top() + y * area.height());
    const auto column = static_cast<std::size_t>(area.left() + x * area.width());
    return HeatmapCell{std::min(row, rows() - 1), std::min(column, columns() - 1)};
}

QRectF HeatmapPlot::cellRect(std::size_t row, std::size_t column) const {
    const QRectF area = visibleArea();
    const double width = layout_.map.width() / area.width();
    const double height = layout_.map.height() / area.height();
    return {layout_.map.left() + (static_cast<double>(column) - area.left()) * width,
            layout_.map.top() + (static_cast<double>(row) - area.top()) * height, width, height};
}

} // namespace headscope::ui
