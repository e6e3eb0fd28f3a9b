#include "ui/widgets/accessible/painted.h"

#include "ui/widgets/accessible/accessible_interfaces.h"

#include <QAccessible>
#include <QMetaObject>
#include <QWidget>

#include <utility>

namespace headscope::ui {

namespace {

ReaderStandIn& standIn() {
    static ReaderStandIn stand_in;
    return stand_in;
}

} // namespace

bool someoneReads() {
    return standIn() || QAccessible::isActive();
}

void tellReaders(QAccessibleEvent& event) {
    if (standIn())
        standIn()(event);
    else
        QAccessible::updateAccessibility(&event);
}

void setReaderStandIn(ReaderStandIn stand_in) {
    standIn() = std::move(stand_in);
}

namespace {

AccessibleCells* readCells(QWidget& widget) {
    return someoneReads()
               ? dynamic_cast<AccessibleCells*>(QAccessible::queryAccessibleInterface(&widget))
               : nullptr;
}

} // namespace

PaintedCells::PaintedCells() {
    installPaintedFactory();
}

bool PaintedCells::hasCell(GridCell cell) const {
    return cell.row >= 0 && cell.row < cellRows() && cell.column >= 0 &&
           cell.column < cellColumns();
}

void tellCellsChanged(QWidget& widget, bool resized) {
    AccessibleCells* cells = readCells(widget);
    if (!cells)
        return;
    if (resized)
        cells->forgetCells();
    if (cells->tableInterface()) {
        QAccessibleTableModelChangeEvent event(
            &widget, resized ? QAccessibleTableModelChangeEvent::ModelReset
                             : QAccessibleTableModelChangeEvent::DataChanged);
        event.setFirstRow(0);
        event.setFirstColumn(0);
        event.setLastRow(cells->rowCount() - 1);
        event.setLastColumn(cells->columnCount() - 1);
        return tellReaders(event);
    }
    QAccessibleEvent event(&widget,
                           resized ? QAccessible::ObjectReorder : QAccessible::VisibleDataChanged);
    tellReaders(event);
}

void tellCurrentCell(QWidget& widget) {
    const AccessibleCells* cells = readCells(widget);
    QAccessibleInterface* current = cells ? cells->currentCell() : nullptr;
    if (!current)
        return;
    QAccessibleEvent selection(current, QAccessible::Selection);
    tellReaders(selection);
    if (!widget.hasFocus())
        return;
    QAccessibleEvent focus(current, QAccessible::Focus);
    tellReaders(focus);
}

void tellFocusLater(QWidget& widget) {
    if (!someoneReads())
        return;
    // QWidget::setFocus names the widget itself after it has sent FocusIn.
    QMetaObject::invokeMethod(
        &widget, [&widget] { tellCurrentCell(widget); }, Qt::QueuedConnection);
}

PaintedValue::PaintedValue() {
    installPaintedFactory();
}

void tellValueChanged(QWidget& widget) {
    const auto* painted = dynamic_cast<const PaintedValue*>(&widget);
    if (!painted || !someoneReads())
        return;
    QAccessibleValueChangeEvent event(&widget, painted->shownValue());
    tellReaders(event);
}

PaintedChart::PaintedChart() {
    installPaintedFactory();
}

} // namespace headscope::ui
