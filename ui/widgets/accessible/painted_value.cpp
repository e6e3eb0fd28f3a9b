#include "ui/widgets/accessible/painted_value.h"

#include "ui/widgets/accessible/painted_factory.h"
#include "ui/widgets/accessible/readers.h"

#include <QAccessible>
#include <QWidget>

namespace headscope::ui {

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

} // namespace headscope::ui
