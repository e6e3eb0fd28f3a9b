#include "ui/views/theme/theme_style.h"

#include "ui/widgets/type_colour.h"

#include <QPainter>
#include <QStyleOptionToolButton>

namespace headscope::ui {
namespace {

/// From the ground to the text: contrasts 3 to 1 with both themes (WCAG 2.1, 1.4.11).
constexpr double kBoxFrame = 0.55;

} // namespace

void ThemeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                    QPainter* painter, const QWidget* widget) const {
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

void ThemeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                               QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    const bool is_box = element == PE_IndicatorCheckBox || element == PE_IndicatorItemViewItemCheck;
    const bool shows_focus =
        option->state.testFlag(State_HasFocus) && option->state.testFlag(State_KeyboardFocusChange);
    if (!is_box || shows_focus)
        return;
    painter->save();
    painter->setBrush(Qt::NoBrush);
    painter->setPen(blend(option->palette.color(QPalette::Base),
                          option->palette.color(QPalette::Text), kBoxFrame));
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    painter->restore();
}

} // namespace headscope::ui
