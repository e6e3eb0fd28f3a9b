#pragma once

#include <QProxyStyle>

namespace headscope::ui {

/// The style of the system, but its states can be told apart on dark windows, too: a tool button
/// that is on has the colour of the selection, and a box to tick has a frame of its own.
class ThemeStyle : public QProxyStyle {
    Q_OBJECT

public:
    using QProxyStyle::QProxyStyle;

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                       const QWidget* widget) const override;
};

} // namespace headscope::ui
