#pragma once

#include <QProxyStyle>
#include <QString>

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

enum class Theme { System, Light, Dark };

/// Sets the colours of the whole application; every view follows at once.
void applyTheme(Theme theme);

/// As kept in the settings: "system", "light", "dark".
QString themeKey(Theme theme);
Theme themeOf(const QString& key);

/// The theme of the last start, from the settings.
Theme keptTheme();
void keepTheme(Theme theme);

} // namespace headscope::ui
