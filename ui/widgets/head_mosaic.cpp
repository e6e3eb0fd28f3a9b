#include "ui/widgets/head_mosaic.h"

#include "ui/markup/markup.h"
#include "ui/widgets/mosaic/head_mosaic_layout.h"
#include "ui/widgets/mosaic/head_mosaic_painter.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr int kZoomSteps = 6; ///< a notch of the wheel adds or takes this part of a cell
constexpr int kLargestZoom = 240;

} // namespace

HeadMosaic::HeadMosaic(QWidget* parent)
    : QWidget(parent), row_name_(tr("layer")), column_name_(tr("head")) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Grid of heads"));
    describe();
}

void HeadMosaic::setCells(int rows, int columns, int columns_per_group, QVector<MosaicCell> cells) {
    Q_ASSERT(cells.size() == qsizetype{rows} * columns);
    const bool resized = rows != rows_ || columns != columns_;
    rows_ = rows;
    columns_ = columns;
    columns_per_group_ = std::max(1, columns_per_group);
    cells_ = std::move(cells);
    if (resized) {
        hovered_.reset();
        pointed_.reset();
        zoomed_side_.reset();
        choice_.only({std::clamp(selectedRow(), 0, std::max(0, rows_ - 1)),
                      std::clamp(selectedColumn(), 0, std::max(0, columns_ - 1))});
    }
    describe();
    tellCellsChanged(*this, resized);
    updateGeometry();
    update();
}

const MosaicCell& HeadMosaic::cell(int row, int column) const {
    return cells_[qsizetype{row} * columns_ + column];
}

void HeadMosaic::setAxisNames(const QString& row_name, const QString& column_name) {
    row_name_ = row_name;
    column_name_ = column_name;
    describe();
    update();
}

void HeadMosaic::setColumnNumbers(bool shown) {
    column_numbers_ = shown;
    update();
}

void HeadMosaic::setEmptyText(const QString& text) {
    empty_text_ = text;
    describe();
    update();
}

void HeadMosaic::setCellSizeRange(int smallest, int largest) {
    smallest_side_ = smallest;
    largest_side_ = largest;
    updateGeometry();
    update();
}

bool HeadMosaic::contains(GridCell at) const {
    return at.row >= 0 && at.row < rows_ && at.column >= 0 && at.column < columns_;
}

void HeadMosaic::setSelected(int row, int column) {
    setChosen({{row, column}}, {row, column});
}

void HeadMosaic::setChosen(const QVector<GridCell>& cells, GridCell current) {
    for (const GridCell at : cells)
        if (!contains(at) || cell(at.row, at.column).removed)
            return;
    const bool is_other = cells != choice_.cells() || current != choice_.current();
    choice_.set(cells, current);
    describe();
    if (is_other)
        tellCurrentCell(*this);
    update();
}

void HeadMosaic::choose(GridChoice choice) {
    choice.leaveOut([this](GridCell at) { return cell(at.row, at.column).removed; });
    if (choice.cells() == choice_.cells() && choice.current() == choice_.current())
        return;
    choice_ = std::move(choice);
    describe();
    tellCurrentCell(*this);
    update();
    if (choice_.cells().size() > 1)
        emit severalChosen();
    else
        emit selected(selectedRow(), selectedColumn());
}

void HeadMosaic::chooseOnly(GridCell at) {
    GridChoice one;
    one.only(at);
    choose(one);
}

void HeadMosaic::chooseFrom(GridCell at, int rows_on, int columns_on, bool extend) {
    while (contains(at) && cell(at.row, at.column).removed)
        at = {at.row + rows_on, at.column + columns_on};
    if (!contains(at))
        return;
    if (!extend)
        return chooseOnly(at);
    GridChoice larger = choice_;
    larger.extendTo(at);
    choose(larger);
}

void HeadMosaic::describe() {
    if (cells_.isEmpty())
        return setAccessibleDescription(empty_text_);
    const GridCell at = choice_.current();
    QString text =
        tr("%1%2. %3")
            .arg(nameOf(at), cell(at.row, at.column).ablated ? tr(", ablated") : QString(),
                 cellDetails(at));
    if (choice_.cells().size() > 1)
        text += QLatin1Char(' ') + tr("One of %1 that are chosen.").arg(choice_.cells().size());
    setAccessibleDescription(text);
}

QString HeadMosaic::nameOf(GridCell at) const {
    const QString& name = cell(at.row, at.column).name;
    return QStringLiteral("%1 %2, %3")
        .arg(row_name_)
        .arg(at.row)
        .arg(name.isEmpty() ? QStringLiteral("%1 %2").arg(column_name_).arg(at.column) : name);
}

MosaicLayout HeadMosaic::layoutNow() const {
    if (zoomed_side_)
        return MosaicLayout({rows_, columns_, columns_per_group_}, font(), *zoomed_side_);
    return layoutFilling(size());
}

MosaicLayout HeadMosaic::layoutFilling(QSize room) const {
    return MosaicLayout::filling(room, {rows_, columns_, columns_per_group_}, font(),
                                 smallest_side_, largest_side_);
}

QSize HeadMosaic::sizeHint() const {
    if (cells_.isEmpty())
        return {240, 160};
    const int side = (smallest_side_ + 2 * largest_side_) / 3;
    return MosaicLayout({rows_, columns_, columns_per_group_}, font(), side).size();
}

QSize HeadMosaic::minimumSizeHint() const {
    if (cells_.isEmpty())
        return {120, 80};
    const int side = zoomed_side_.value_or(smallest_side_);
    return MosaicLayout({rows_, columns_, columns_per_group_}, font(), side).size();
}

QRect HeadMosaic::cellRect(int row, int column) const {
    return layoutNow().cellRect(row, column);
}

std::optional<QPoint> HeadMosaic::cellAt(QPoint position) const {
    return layoutNow().cellAt(position);
}

std::optional<QPoint> HeadMosaic::headCellAt(QPoint position) const {
    const auto at = cellAt(position);
    return at && !cell(at->y(), at->x()).removed ? at : std::nullopt;
}

void HeadMosaic::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const MosaicLayout layout = layoutNow();
    MosaicPainter mosaic(painter, palette(), layout);
    if (cells_.isEmpty())
        return mosaic.paintEmpty(rect(), empty_text_);
    mosaic.paintAxes(row_name_, column_name_, column_numbers_);
    for (int row = 0; row < rows_; ++row) {
        for (int column = 0; column < columns_; ++column) {
            if (layout.cellRect(row, column).adjusted(-3, -3, 3, 3).intersects(event->rect()))
                mosaic.paintCell(row, column, cell(row, column));
        }
    }
    if (hovered_)
        mosaic.paintHover(hovered_->y(), hovered_->x());
    if (pointed_)
        mosaic.paintPointed(pointed_->row, pointed_->column);
    mosaic.paintSelection(selectedRow(), selectedColumn(), hasFocus());
    for (int i = 0; choice_.cells().size() > 1 && i < choice_.cells().size(); ++i)
        mosaic.paintChosen(choice_.cells()[i].row, choice_.cells()[i].column, i);
    if (hovered_ && layout.side() < kSideForLetters)
        mosaic.paintLens(hovered_->y(), hovered_->x(), cell(hovered_->y(), hovered_->x()),
                         nameOf({hovered_->y(), hovered_->x()}), visibleRegion().boundingRect());
}

void HeadMosaic::setPointed(std::optional<GridCell> cell) {
    pointed_ = cell && contains(*cell) ? cell : std::nullopt;
    update();
}

void HeadMosaic::mousePressEvent(QMouseEvent* event) {
    const auto at = headCellAt(event->position().toPoint());
    if (!at || event->button() != Qt::LeftButton)
        return;
    const GridCell cell{at->y(), at->x()};
    GridChoice changed = choice_;
    if (event->modifiers().testFlag(Qt::ControlModifier))
        changed.toggle(cell);
    else if (event->modifiers().testFlag(Qt::ShiftModifier))
        changed.extendTo(cell);
    else
        changed.only(cell);
    choose(changed);
}

void HeadMosaic::mouseDoubleClickEvent(QMouseEvent* event) {
    const auto at = headCellAt(event->position().toPoint());
    if (at && event->button() == Qt::LeftButton)
        emit activated(at->y(), at->x());
}

void HeadMosaic::mouseMoveEvent(QMouseEvent* event) {
    const auto at = headCellAt(event->position().toPoint());
    if (at == hovered_)
        return;
    hovered_ = at;
    update();
    if (!at || event->buttons() != Qt::LeftButton || event->modifiers() != Qt::NoModifier)
        return;
    GridChoice dragged = choice_;
    dragged.extendTo({at->y(), at->x()});
    choose(dragged);
}

void HeadMosaic::wheelEvent(QWheelEvent* event) {
    if (!event->modifiers().testFlag(Qt::ControlModifier) || cells_.isEmpty())
        return event->ignore();
    // The widget itself is as large as its cells.
    const auto* area =
        parentWidget() ? qobject_cast<QScrollArea*>(parentWidget()->parentWidget()) : nullptr;
    const int fits = layoutFilling(area ? area->viewport()->size() : size()).side();
    const int side = zoomed_side_.value_or(fits);
    const int step = std::max(1, side / kZoomSteps);
    const int wanted =
        std::min(event->angleDelta().y() > 0 ? side + step : side - step, kLargestZoom);
    zoomed_side_.reset();
    if (wanted > fits)
        zoomed_side_ = wanted;
    updateGeometry();
    update();
    const GridCell at = hovered_ ? GridCell{hovered_->y(), hovered_->x()} : choice_.current();
    emit zoomed(at.row, at.column);
    event->accept();
}

void HeadMosaic::leaveEvent(QEvent*) {
    hovered_.reset();
    update();
}

void HeadMosaic::keyPressEvent(QKeyEvent* event) {
    if (cells_.isEmpty())
        return QWidget::keyPressEvent(event);
    if (moveByKey(*event))
        return;
    switch (event->key()) {
    case Qt::Key_Delete:
    case Qt::Key_Space:
        emit toggleRequested(selectedRow(), selectedColumn());
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit activated(selectedRow(), selectedColumn());
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

bool HeadMosaic::moveByKey(const QKeyEvent& event) {
    const auto [row, column] = choice_.current();
    const bool extend = event.modifiers().testFlag(Qt::ShiftModifier);
    const auto move = [&](GridCell to, int rows_on, int columns_on) {
        chooseFrom(to, rows_on, columns_on, extend);
        return true;
    };
    switch (event.key()) {
    case Qt::Key_Left:
        return move({row, column - 1}, 0, -1);
    case Qt::Key_Right:
        return move({row, column + 1}, 0, 1);
    case Qt::Key_Up:
        return move({row - 1, column}, -1, 0);
    case Qt::Key_Down:
        return move({row + 1, column}, 1, 0);
    case Qt::Key_Home:
        return move({row, 0}, 0, 1);
    case Qt::Key_End:
        return move({row, columns_ - 1}, 0, -1);
    case Qt::Key_PageUp:
        return move({0, column}, 1, 0);
    case Qt::Key_PageDown:
        return move({rows_ - 1, column}, -1, 0);
    default:
        return false;
    }
}

void HeadMosaic::contextMenuEvent(QContextMenuEvent* event) {
    if (cells_.isEmpty())
        return event->ignore();
    const bool by_keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const std::optional<QPoint> at =
        by_keyboard ? QPoint(selectedColumn(), selectedRow()) : headCellAt(event->pos());
    if (!at)
        return event->ignore();
    if (!choice_.contains({at->y(), at->x()}))
        chooseOnly({at->y(), at->x()});
    const QPoint global =
        by_keyboard ? mapToGlobal(cellRect(at->y(), at->x()).center()) : event->globalPos();
    emit contextMenuRequested(at->y(), at->x(), global);
}

bool HeadMosaic::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip)
        return showToolTip(*static_cast<QHelpEvent*>(event));
    if (event->type() == QEvent::FocusIn)
        tellFocusLater(*this);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    return QWidget::event(event);
}

bool HeadMosaic::showToolTip(const QHelpEvent& event) {
    const auto at = cellAt(event.pos());
    if (at && !cell(at->y(), at->x()).tooltip.isEmpty())
        QToolTip::showText(event.globalPos(), asTip(cell(at->y(), at->x()).tooltip), this,
                           cellRect(at->y(), at->x()));
    else
        QToolTip::hideText();
    return true;
}

} // namespace headscope::ui
