#include "ui/widgets/accessible/painted_factory.h"

#include "ui/widgets/accessible/accessible_cells.h"
#include "ui/widgets/accessible/accessible_value.h"
#include "ui/widgets/accessible/painted_chart.h"

#include <QAccessible>
#include <QWidget>

namespace headscope::ui {
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
