#include "ui/widgets/head_mosaic.h"

#include "ui/widgets/mosaic/head_mosaic_layout.h"
#include "ui/widgets/mosaic/head_mosaic_painter.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QTextDocumentFragment>
#include <QToolTip>

#include <algorithm>

namespace headscope::ui {

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
    selected_row_ = std::clamp(selected_row_, 0, std::max(0, rows_ - 1));
    selected_column_ = std::clamp(selected_column_, 0, std::max(0, columns_ - 1));
    if (resized)
        hovered_.reset();
    describe();
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

void HeadMosaic::setSelected(int row, int column) {
    if (row < 0 || row >= rows_ || column < 0 || column >= columns_ || cell(row, column).removed)
        return;
    selected_row_ = row;
    selected_column_ = column;
    describe();
    update();
}

void HeadMosaic::choose(int row, int column) {
    if ((row == selected_row_ && column == selected_column_) || cell(row, column).removed)
        return;
    setSelected(row, column);
    emit selected(row, column);
}

void HeadMosaic::chooseFrom(int row, int column, int rows_on, int columns_on) {
    const auto inside = [this](int r, int c) {
        return r >= 0 && r < rows_ && c >= 0 && c < columns_;
    };
    while (inside(row, column) && cell(row, column).removed) {
        row += rows_on;
        column += columns_on;
    }
    if (inside(row, column))
        choose(row, column);
}

void HeadMosaic::describe() {
    if (cells_.isEmpty())
        return setAccessibleDescription(empty_text_);
    const MosaicCell& chosen = cell(selected_row_, selected_column_);
    const QString details = QTextDocumentFragment::fromHtml(chosen.tooltip).toPlainText();
    const QString column = chosen.name.isEmpty()
                               ? QStringLiteral("%1 %2").arg(column_name_).arg(selected_column_)
                               : chosen.name;
    setAccessibleDescription(
        tr("%1 %2, %3%4. %5")
            .arg(row_name_)
            .arg(selected_row_)
            .arg(column, chosen.ablated ? tr(", ablated") : QString(), details));
}

MosaicLayout HeadMosaic::layoutNow() const {
    return MosaicLayout::filling(size(), {rows_, columns_, columns_per_group_}, font(),
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
    return MosaicLayout({rows_, columns_, columns_per_group_}, font(), smallest_side_).size();
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
    MosaicPainter mosaic(painter, palette(), layoutNow());
    if (cells_.isEmpty())
        return mosaic.paintEmpty(rect(), empty_text_);
    mosaic.paintAxes(row_name_, column_name_, column_numbers_);
    for (int row = 0; row < rows_; ++row) {
        for (int column = 0; column < columns_; ++column) {
            if (cellRect(row, column).adjusted(-3, -3, 3, 3).intersects(event->rect()))
                mosaic.paintCell(row, column, cell(row, column));
        }
    }
    if (hovered_)
        mosaic.paintHover(hovered_->y(), hovered_->x());
    mosaic.paintSelection(selected_row_, selected_column_, hasFocus());
}

void HeadMosaic::mousePressEvent(QMouseEvent* event) {
    const auto at = headCellAt(event->position().toPoint());
    if (at && event->button() == Qt::LeftButton)
        choose(at->y(), at->x());
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
}

void HeadMosaic::leaveEvent(QEvent*) {
    hovered_.reset();
    update();
}

void HeadMosaic::keyPressEvent(QKeyEvent* event) {
    if (cells_.isEmpty())
        return QWidget::keyPressEvent(event);
    const int row = selected_row_;
    const int column = selected_column_;
    switch (event->key()) {
    case Qt::Key_Left:
        return chooseFrom(row, column - 1, 0, -1);
    case Qt::Key_Right:
        return chooseFrom(row, column + 1, 0, 1);
    case Qt::Key_Up:
        return chooseFrom(row - 1, column, -1, 0);
    case Qt::Key_Down:
        return chooseFrom(row + 1, column, 1, 0);
    case Qt::Key_Home:
        return chooseFrom(row, 0, 0, 1);
    case Qt::Key_End:
        return chooseFrom(row, columns_ - 1, 0, -1);
    case Qt::Key_PageUp:
        return chooseFrom(0, column, 1, 0);
    case Qt::Key_PageDown:
        return chooseFrom(rows_ - 1, column, -1, 0);
    case Qt::Key_Delete:
    case Qt::Key_Space:
        emit toggleRequested(row, column);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit activated(row, column);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void HeadMosaic::contextMenuEvent(QContextMenuEvent* event) {
    if (cells_.isEmpty())
        return event->ignore();
    const bool by_keyboard = event->reason() == QContextMenuEvent::Keyboard;
    const std::optional<QPoint> at =
        by_keyboard ? QPoint(selected_column_, selected_row_) : headCellAt(event->pos());
    if (!at)
        return event->ignore();
    choose(at->y(), at->x());
    const QPoint global =
        by_keyboard ? mapToGlobal(cellRect(at->y(), at->x()).center()) : event->globalPos();
    emit contextMenuRequested(at->y(), at->x(), global);
}

bool HeadMosaic::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip)
        return showToolTip(*static_cast<QHelpEvent*>(event));
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        updateGeometry();
    return QWidget::event(event);
}

bool HeadMosaic::showToolTip(const QHelpEvent& event) {
    const auto at = cellAt(event.pos());
    if (at && !cell(at->y(), at->x()).tooltip.isEmpty())
        QToolTip::showText(event.globalPos(), cell(at->y(), at->x()).tooltip, this,
                           cellRect(at->y(), at->x()));
    else
        QToolTip::hideText();
    return true;
}

} // namespace headscope::ui
