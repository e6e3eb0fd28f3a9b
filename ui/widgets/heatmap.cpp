#include "ui/widgets/heatmap.h"

#include "ui/widgets/heatmap/heatmap_figure.h"
#include "ui/widgets/heatmap/heatmap_plot.h"
#include "ui/widgets/labels.h"
#include "ui/workers/job_runner.h"

#include <QApplication>
#include <QFontInfo>
#include <QStackedLayout>

#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kKeyZoom = 0.7;

} // namespace

class Heatmap::Private {
public:
    HeatmapPlot* plot = nullptr;
    QLabel* message = nullptr;
    QStackedLayout* stack = nullptr;
    ColourMap map = ColourMap::Viridis;
    std::optional<std::pair<double, double>> range{{0.0, 1.0}};
    ValueScale scale = ValueScale::Linear;

    std::optional<QPointF> pointer; ///< over the plot
    std::optional<HeatmapCell> hovered;
    std::optional<std::size_t> locked;
    std::optional<QPointF> pressed;
    std::optional<std::size_t> locked_before_click;

    JobRunner sharpener;
    std::optional<TileRequest> sharpened; ///< the newest that it was asked for

    void showColours() { plot->setColouring(map, range, scale); }
    void showMarks(bool focused) { plot->setMarks({hovered, locked, focused}); }
};

Heatmap::Heatmap(QWidget* parent) : QWidget(parent), d_(std::make_unique<Private>()) {
    setFocusPolicy(Qt::StrongFocus);
    d_->plot = new HeatmapPlot;
    d_->message = new TextLabel;
    d_->message->setAlignment(Qt::AlignCenter);
    d_->message->setWordWrap(true);
    d_->message->setMargin(24);
    d_->message->setForegroundRole(QPalette::PlaceholderText);
    d_->message->setBackgroundRole(QPalette::Base);
    d_->message->setAutoFillBackground(true);
    d_->stack = new QStackedLayout(this);
    d_->stack->addWidget(d_->message);
    d_->stack->addWidget(d_->plot);
    d_->showColours();
    d_->plot->installEventFilter(this);
    connect(d_->plot, &HeatmapPlot::visibleAreaChanged, this, &Heatmap::updateHover);
    connect(d_->plot, &HeatmapPlot::afterReplot, this, &Heatmap::sharpen);
    setAccessibleName(tr("Heatmap"));
}

Heatmap::~Heatmap() {
    d_->plot->removeEventFilter(this);
    d_->plot->disconnect(this);
}

void Heatmap::setContent(HeatmapContent content) {
    const std::size_t rows = d_->plot->rows();
    const std::size_t columns = d_->plot->columns();
    if (content.cells != d_->plot->content().cells) {
        d_->sharpener.cancel();
        d_->sharpened.reset();
    }
    d_->plot->setContent(std::move(content));
    if (d_->plot->isEmpty())
        return setEmpty(QString());
    d_->stack->setCurrentWidget(d_->plot);
    setAccessibleDescription(tr("%1, %2 rows, %3 columns")
                                 .arg(d_->plot->content().title)
                                 .arg(d_->plot->rows())
                                 .arg(d_->plot->columns()));
    const bool resized = d_->plot->rows() != rows || d_->plot->columns() != columns;
    tellCellsChanged(*this, resized);
    if (resized)
        lockRow(std::nullopt);
    if (d_->pointer && d_->plot->cellAt(*d_->pointer))
        d_->hovered.reset(); // reports the same cell again, for it has a new value
    updateHover();
}

const HeatmapContent& Heatmap::content() const {
    return d_->plot->content();
}

const HeatmapPlot& Heatmap::plot() const {
    return *d_->plot;
}

void Heatmap::setEmpty(const QString& message) {
    d_->sharpener.cancel();
    d_->plot->setContent({});
    d_->message->setText(message);
    d_->stack->setCurrentWidget(d_->message);
    setAccessibleDescription(message);
    tellCellsChanged(*this, true);
    lockRow(std::nullopt);
    updateHover();
}

void Heatmap::setColourMap(ColourMap map) {
    d_->map = map;
    d_->showColours();
}

ColourMap Heatmap::colourMap() const {
    return d_->map;
}

void Heatmap::setRange(std::optional<std::pair<double, double>> range) {
    d_->range = range;
    d_->showColours();
}

void Heatmap::setScale(ValueScale scale) {
    d_->scale = scale;
    d_->showColours();
}

std::optional<std::size_t> Heatmap::lockedRow() const {
    return d_->locked;
}

std::optional<HeatmapCell> Heatmap::hoveredCell() const {
    return d_->hovered;
}

void Heatmap::lockRow(std::optional<std::size_t> row) {
    if (row && *row >= d_->plot->rows())
        row.reset();
    if (row == d_->locked)
        return;
    d_->locked = row;
    d_->showMarks(hasFocus());
    tellCurrentCell(*this);
    emit rowLocked(row);
}

void Heatmap::resetZoom() {
    d_->plot->showAll();
}

Heatmap::VisibleCells Heatmap::visibleCells() const {
    if (d_->plot->isEmpty())
        return {};
    const QRectF area = d_->plot->visibleArea();
    // A cell counts from a thousandth of it on.
    const auto first = [](double from) { return static_cast<std::size_t>(from + 1e-3); };
    const auto last = [](double to) { return static_cast<std::size_t>(std::ceil(to - 1e-3)) - 1; };
    return {first(area.top()), last(area.bottom()), first(area.left()), last(area.right())};
}

QPoint Heatmap::cellCentre(std::size_t row, std::size_t column) const {
    return d_->plot->mapTo(this, d_->plot->cellRect(row, column).center().toPoint());
}

Result<void> Heatmap::saveFigure(const QString& path, QSize size, double png_scale) const {
    if (d_->plot->isEmpty())
        return Error{ErrorCode::InvalidArgument,
                     tr("There is no figure to save: the heatmap is empty; run a prompt first.")
                         .toStdString()};
    return saveHeatmapFigure(path, {d_->plot->content(), d_->map, d_->range, d_->scale,
                                    d_->plot->visibleArea(), size, png_scale,
                                    QFontInfo(font()).family()});
}

void Heatmap::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange)
        d_->plot->setTheme(HeatmapTheme::fromPalette(palette()), font());
    QWidget::changeEvent(event);
}

void Heatmap::focusInEvent(QFocusEvent* event) {
    d_->showMarks(true);
    tellFocusLater(*this);
    QWidget::focusInEvent(event);
}

void Heatmap::focusOutEvent(QFocusEvent* event) {
    d_->showMarks(false);
    QWidget::focusOutEvent(event);
}

void Heatmap::sharpen() {
    if (d_->sharpener.isBusy())
        return; // its answer is drawn, which leads back here
    const auto wanted = d_->plot->missingTile(d_->plot->devicePixelRatioF());
    if (!wanted || wanted == d_->sharpened)
        return;
    d_->sharpened = wanted;
    d_->sharpener.start(
        [cells = content().cells, request = *wanted](const Progress&, std::stop_token) {
            return std::make_shared<const CellTile>(cells->tile(request));
        },
        [this](std::shared_ptr<const CellTile> tile) { d_->plot->sharpen(std::move(tile)); });
}

void Heatmap::updateHover() {
    const auto cell = d_->pointer ? d_->plot->cellAt(*d_->pointer) : std::nullopt;
    if (cell == d_->hovered)
        return;
    d_->hovered = cell;
    d_->showMarks(hasFocus());
    if (cell)
        emit cellHovered(cell->row, cell->column);
    else
        emit hoverLeft();
}

bool Heatmap::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::MouseMove:
        d_->pointer = static_cast<QMouseEvent*>(event)->position();
        updateHover();
        break;
    case QEvent::Leave:
        d_->pointer.reset();
        updateHover();
        break;
    case QEvent::MouseButtonPress:
        if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton)
            d_->pressed = static_cast<QMouseEvent*>(event)->position();
        break;
    case QEvent::MouseButtonRelease:
        finishClick(static_cast<QMouseEvent*>(event)->position());
        break;
    case QEvent::ContextMenu: // which QCustomPlot would keep from its parents
        return QCoreApplication::sendEvent(this, event);
    case QEvent::MouseButtonDblClick:
        // The first half of a double click has toggled the lock: undo that.
        lockRow(d_->locked_before_click);
        resetZoom();
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void Heatmap::finishClick(QPointF position) {
    const auto pressed = std::exchange(d_->pressed, std::nullopt);
    if (!pressed || (position - *pressed).manhattanLength() >= QApplication::startDragDistance())
        return;
    d_->locked_before_click = d_->locked;
    if (const auto cell = d_->plot->cellAt(position)) {
        lockRow(d_->locked == cell->row ? std::nullopt : std::optional(cell->row));
        emit cellClicked(cell->row, cell->column);
    }
}

void Heatmap::keyPressEvent(QKeyEvent* event) {
    const QPointF middle = d_->plot->layout().map.center();
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        return d_->plot->zoom(kKeyZoom, d_->pointer.value_or(middle));
    case Qt::Key_Minus:
        return d_->plot->zoom(1.0 / kKeyZoom, d_->pointer.value_or(middle));
    case Qt::Key_0:
        return resetZoom();
    case Qt::Key_Escape:
        if (!d_->locked && !d_->pointer)
            break;
        d_->pointer.reset();
        updateHover();
        return lockRow(std::nullopt);
    case Qt::Key_Up:
        if (shift)
            return lockNeighbour(-1);
        break;
    case Qt::Key_Down:
        if (shift)
            return lockNeighbour(1);
        break;
    default:
        break;
    }
    QWidget::keyPressEvent(event);
}

void Heatmap::lockNeighbour(int step) {
    const auto rows = static_cast<long>(d_->plot->rows());
    if (rows == 0)
        return;
    const long from = d_->locked ? static_cast<long>(*d_->locked) + step : step > 0 ? 0 : rows - 1;
    lockRow(static_cast<std::size_t>(std::clamp(from, 0L, rows - 1)));
}

} // namespace headscope::ui
