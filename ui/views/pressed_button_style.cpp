#include "ui/views/pressed_button_style.h"

#include <QStyleOptionToolButton>

namespace headscope::ui {

void PressedButtonStyle::drawComplexControl(ComplexControl control,
                                            const QStyleOptionComplex* option, QPainter* painter,
                                            const QWidget* widget) const {
    const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
    if (control != CC_ToolButton || !button || !button->state.testFlag(State_On))
        return QProxyStyle::drawComplexControl(control, option, painter, widget);
    QStyleOptionToolButton on = *button;
    const QColor colour = on.palette.color(QPalette::Highlight);
    const QColor text = on.palette.color(QPalette::HighlightedText);
    for (const auto role : {QPalette::Button, QPalette::Window})
        on.palette.setColor(role, colour);
    for (const auto role : {QPalette::ButtonText, QPalette::WindowText, QPalette::Text})
        on.palette.setColor(role, text);
    QProxyStyle::drawComplexControl(control, &on, painter, widget);
}

} // namespace headscope::ui
