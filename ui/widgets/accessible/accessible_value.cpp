#include "ui/widgets/accessible/accessible_value.h"

#include <QWidget>

#include <cmath>

namespace headscope::ui {

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

} // namespace headscope::ui
