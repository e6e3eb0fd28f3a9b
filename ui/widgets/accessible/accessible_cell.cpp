#include "ui/widgets/accessible/accessible_cell.h"

#include <QWindow>

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

} // namespace headscope::ui
