#pragma once

#include <QProxyStyle>

namespace headscope::ui {

/// The style of the system, but a tool button that is on has the colour of the selection: on dark
/// windows its own shade of grey cannot be told from one that is off.
class PressedButtonStyle : public QProxyStyle {
    Q_OBJECT

public:
    using QProxyStyle::QProxyStyle;

    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                            QPainter* painter, const QWidget* widget) const override;
};

} // namespace headscope::ui
