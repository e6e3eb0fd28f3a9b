#pragma once

#include <QString>

class QWidget;

namespace headscope::ui {

/// What a widget that paints one value tells a screen reader of it: a slider, or a bar where the
/// user cannot move it. A second base as PaintedCells is. GUI thread.
class PaintedValue {
public:
    PaintedValue();
    virtual ~PaintedValue() = default;
    PaintedValue(const PaintedValue&) = delete;
    PaintedValue& operator=(const PaintedValue&) = delete;

    virtual double shownValue() const = 0; ///< 0..1; NaN: not defined
    virtual QString valueText() const = 0; ///< "0.59, threshold 0.40"
    virtual double valueStep() const = 0;
    virtual bool canBeMoved() const = 0;
    /// As the user would; only where they can.
    virtual void moveValue(double value) = 0;
};

/// Tells screen readers that it is another; does nothing while nobody reads.
void tellValueChanged(QWidget& widget);

} // namespace headscope::ui
