#include "ui/widgets/accessible/accessible_cells.h"

#include "ui/widgets/accessible/accessible_cell.h"

#include <QTextDocumentFragment>
#include <QWidget>

#include <algorithm>
#include <limits>
#include <utility>

namespace headscope::ui {

AccessibleCells::~AccessibleCells() {
    forgetCells();
}

void AccessibleCells::forgetCells() {
    for (const QAccessible::Id id : std::exchange(made_, {}))
        QAccessible::deleteAccessibleInterface(id);
}

const PaintedCells* AccessibleCells::painted() const {
    return dynamic_cast<const PaintedCells*>(object());
}

QAccessible::Role AccessibleCells::role() const {
    return painted() && painted()->isList() ? QAccessible::List : QAccessible::Table;
}

QString AccessibleCells::text(QAccessible::Text text) const {
    const QString said = QAccessibleWidget::text(text); // a tool tip where nothing else is set
    return Qt::mightBeRichText(said) ? QTextDocumentFragment::fromHtml(said).toPlainText() : said;
}

void* AccessibleCells::interface_cast(QAccessible::InterfaceType type) {
    if (type == QAccessible::TableInterface)
        return painted() && !painted()->isList() ? static_cast<QAccessibleTableInterface*>(this)
                                                 : nullptr;
    return QAccessibleWidget::interface_cast(type);
}

int AccessibleCells::rowCount() const {
    return painted() ? painted()->cellRows() : 0;
}

int AccessibleCells::columnCount() const {
    return painted() ? painted()->cellColumns() : 0;
}

int AccessibleCells::childCount() const {
    constexpr qint64 kMost = std::numeric_limits<int>::max();
    return static_cast<int>(std::min(kMost, qint64{rowCount()} * columnCount()));
}

int AccessibleCells::indexOf(GridCell cell) const {
    const qint64 index = qint64{cell.row} * columnCount() + cell.column;
    return painted() && painted()->hasCell(cell) && index < childCount() ? static_cast<int>(index)
                                                                         : -1;
}

QAccessibleInterface* AccessibleCells::child(int index) const {
    if (index < 0 || index >= childCount())
        return nullptr;
    const std::pair place(index / columnCount(), index % columnCount());
    const auto known = made_.constFind(place);
    if (known != made_.constEnd())
        return QAccessible::accessibleInterface(*known);
    auto* made = new AccessibleCell(*widget(), {place.first, place.second});
    made_.insert(place, QAccessible::registerAccessibleInterface(made));
    return made;
}

QAccessibleInterface* AccessibleCells::cellAt(int row, int column) const {
    return child(indexOf({row, column}));
}

int AccessibleCells::indexOfChild(const QAccessibleInterface* child) const {
    const auto* cell = dynamic_cast<const AccessibleCell*>(child);
    return cell && cell->widget() == object() ? indexOf(cell->place()) : -1;
}

QAccessibleInterface* AccessibleCells::childAt(int x, int y) const {
    const auto cell =
        painted() ? painted()->cellUnder(widget()->mapFromGlobal(QPoint(x, y))) : std::nullopt;
    return cell ? child(indexOf(*cell)) : nullptr;
}

QAccessibleInterface* AccessibleCells::currentCell() const {
    const auto cell = painted() ? painted()->currentCell() : std::nullopt;
    return cell ? child(indexOf(*cell)) : nullptr;
}

QAccessibleInterface* AccessibleCells::focusChild() const {
    QAccessibleInterface* cell = painted() && widget()->hasFocus() ? currentCell() : nullptr;
    return cell ? cell : QAccessibleWidget::focusChild();
}

QString AccessibleCells::rowDescription(int row) const {
    return indexOf({row, 0}) < 0 ? QString() : painted()->rowName(row);
}

QString AccessibleCells::columnDescription(int column) const {
    return indexOf({0, column}) < 0 ? QString() : painted()->columnName(column);
}

int AccessibleCells::selectedCellCount() const {
    return painted() ? static_cast<int>(painted()->markedCells().size()) : 0;
}

QList<QAccessibleInterface*> AccessibleCells::selectedCells() const {
    QList<QAccessibleInterface*> cells;
    for (const GridCell cell : painted() ? painted()->markedCells() : QVector<GridCell>())
        if (QAccessibleInterface* marked = child(indexOf(cell)))
            cells << marked;
    return cells;
}

bool AccessibleCells::isRowSelected(int row) const {
    if (indexOf({row, 0}) < 0)
        return false;
    int column = 0;
    while (column < columnCount() && painted()->isMarked({row, column}))
        ++column;
    return column == columnCount();
}

bool AccessibleCells::isColumnSelected(int column) const {
    if (indexOf({0, column}) < 0)
        return false;
    int row = 0;
    while (row < rowCount() && painted()->isMarked({row, column}))
        ++row;
    return row == rowCount();
}

QList<int> AccessibleCells::selectedRows() const {
    QList<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (isRowSelected(row))
            rows << row;
    return rows;
}

QList<int> AccessibleCells::selectedColumns() const {
    QList<int> columns;
    for (int column = 0; column < columnCount(); ++column)
        if (isColumnSelected(column))
            columns << column;
    return columns;
}

} // namespace headscope::ui
