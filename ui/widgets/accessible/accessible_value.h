#pragma once

#include "ui/widgets/accessible/painted_value.h"

#include <QAccessibleWidget>

namespace headscope::ui {

/// A PaintedValue as QAccessible asks for it. May outlive it, and is then without value.
class AccessibleValue : public QAccessibleWidget, public QAccessibleValueInterface {
public:
    explicit AccessibleValue(QWidget* widget) : QAccessibleWidget(widget) {}

    QAccessible::Role role() const override;
    QAccessible::State state() const override;
    QString text(QAccessible::Text text) const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    QVariant currentValue() const override;
    void setCurrentValue(const QVariant& value) override;
    QVariant minimumValue() const override { return 0.0; }
    QVariant maximumValue() const override { return 1.0; }
    QVariant minimumStepSize() const override;

private:
    PaintedValue* painted() const;
    bool canBeMoved() const;
};

} // namespace headscope::ui
