#include "ui/widgets/accessible/accessible_interfaces.h"

#include "ui/markup/markup.h"
#include "ui/widgets/accessible/painted.h"

#include <QAccessible>
#include <QWidget>
#include <QWindow>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace headscope::ui {

PaintedCells* AccessibleCell::cells() const {
    auto* cells = dynamic_cast<PaintedCells*>(widget_.data());
    return cells && cells->hasCell(place_) ? cells : nullptr;
}

QWindow* AccessibleCell::window() const {
    return widget_ ? widget_->window()->windowHandle() : nullptr;
}

QAccessibleInterface* AccessibleCell::parent() const {
    return widget_ ? QAccessible::queryAccessibleInterface(widget_.data()) : nullptr;
}

QString AccessibleCell::text(QAccessible::Text text) const {
    if (!isValid())
        return {};
    switch (text) {
    case QAccessible::Name:
        return cells()->cellName(place_);
    case QAccessible::Description:
        return cells()->cellDetails(place_);
    default:
        return {};
    }
}

QRect AccessibleCell::rect() const {
    if (!isValid())
        return {};
    const QRect area = cells()->cellArea(place_);
    return {widget_->mapToGlobal(area.topLeft()), area.size()};
}

QAccessible::Role AccessibleCell::role() const {
    return isValid() && cells()->isList() ? QAccessible::ListItem : QAccessible::Cell;
}

QAccessible::State AccessibleCell::state() const {
    QAccessible::State state;
    state.invalid = !isValid();
    if (!isValid())
        return state;
    const bool can_be_chosen = widget_->isEnabled() && cells()->canBeChosen(place_);
    state.disabled = !can_be_chosen;
    state.selectable = can_be_chosen;
    state.focusable = can_be_chosen;
    state.selected = isSelected();
    state.focused = widget_->hasFocus() && cells()->currentCell() == place_;
    state.invisible = !widget_->isVisible();
    state.offscreen = !widget_->visibleRegion().intersects(cells()->cellArea(place_));
    state.readOnly = true;
    return state;
}

void* AccessibleCell::interface_cast(QAccessible::InterfaceType type) {
    if (type == QAccessible::ActionInterface)
        return static_cast<QAccessibleActionInterface*>(this);
    if (type == QAccessible::TableCellInterface && role() == QAccessible::Cell)
        return static_cast<QAccessibleTableCellInterface*>(this);
    return nullptr;
}

bool AccessibleCell::isSelected() const {
    return isValid() && cells()->isMarked(place_);
}

QStringList AccessibleCell::actionNames() const {
    if (!isValid() || !widget_->isEnabled() || !cells()->canBeChosen(place_))
        return {};
    return {pressAction(), setFocusAction()};
}

void AccessibleCell::doAction(const QString& name) {
    if (!actionNames().contains(name))
        return;
    if (name == setFocusAction())
        widget_->setFocus(Qt::OtherFocusReason);
    cells()->chooseCell(place_);
}

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
    return said == widget()->toolTip() ? textOfTip(said) : said;
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

PaintedValue* AccessibleValue::painted() const {
    return dynamic_cast<PaintedValue*>(object());
}

bool AccessibleValue::canBeMoved() const {
    return painted() && painted()->canBeMoved();
}

QAccessible::Role AccessibleValue::role() const {
    return canBeMoved() ? QAccessible::Slider : QAccessible::ProgressBar;
}

QAccessible::State AccessibleValue::state() const {
    QAccessible::State state = QAccessibleWidget::state();
    state.readOnly = !canBeMoved();
    return state;
}

QString AccessibleValue::text(QAccessible::Text text) const {
    if (text == QAccessible::Value)
        return painted() ? painted()->valueText() : QString();
    return QAccessibleWidget::text(text);
}

void* AccessibleValue::interface_cast(QAccessible::InterfaceType type) {
    if (type == QAccessible::ValueInterface)
        return static_cast<QAccessibleValueInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
}

QVariant AccessibleValue::currentValue() const {
    const PaintedValue* value = painted();
    return value && !std::isnan(value->shownValue()) ? QVariant(value->shownValue()) : QVariant();
}

void AccessibleValue::setCurrentValue(const QVariant& value) {
    bool is_number = false;
    const double number = value.toDouble(&is_number);
    if (is_number && canBeMoved())
        painted()->moveValue(number);
}

QVariant AccessibleValue::minimumStepSize() const {
    return canBeMoved() ? QVariant(painted()->valueStep()) : QVariant();
}

namespace {

QAccessibleInterface* makePaintedInterface(const QString&, QObject* object) {
    auto* widget = qobject_cast<QWidget*>(object);
    if (dynamic_cast<PaintedCells*>(widget))
        return new AccessibleCells(widget);
    if (dynamic_cast<PaintedValue*>(widget))
        return new AccessibleValue(widget);
    if (dynamic_cast<PaintedChart*>(widget))
        return new QAccessibleWidget(widget, QAccessible::Chart);
    return nullptr;
}

} // namespace

void installPaintedFactory() {
    QAccessible::installFactory(makePaintedInterface); // which is there once however often
}

} // namespace headscope::ui
