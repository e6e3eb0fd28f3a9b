#include "ui/widgets/accessible/painted_cells.h"

#include "ui/widgets/accessible/accessible_cells.h"
#include "ui/widgets/accessible/painted_factory.h"
#include "ui/widgets/accessible/readers.h"

#include <QAccessible>
#include <QMetaObject>
#include <QWidget>

namespace headscope::ui {
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

} // namespace headscope::ui
