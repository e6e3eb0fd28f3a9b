#include "ui/views/theme.h"

#include "ui/widgets/colours.h"

#include <QApplication>
#include <QColor>
#include <QPainter>
#include <QPalette>
#include <QSettings>
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

namespace {

struct Colours {
    QRgb window, base, alternate, text, quiet, button, highlight, link;
};

QString settingsKey() {
    return QStringLiteral("view/theme");
}

constexpr Colours kLight{0xfff4f5f7, 0xffffffff, 0xfff0f1f4, 0xff1c1e22,
                         0xff5d636e, 0xfffafbfc, 0xff2f6fb7, 0xff1f5fa6};
constexpr Colours kDark{0xff23262b, 0xff1a1c20, 0xff2a2d33, 0xffe6e8eb,
                        0xffa2a9b4, 0xff31353c, 0xff4a8fd8, 0xff7db4ee};

QPalette paletteOf(const Colours& colours) {
    const QColor text(colours.text);
    const QColor window(colours.window);
    const QColor faded = blend(window, text, 0.4);
    QPalette palette{QColor(colours.button), window};
    palette.setColor(QPalette::Window, window);
    palette.setColor(QPalette::WindowText, text);
    palette.setColor(QPalette::Base, colours.base);
    palette.setColor(QPalette::AlternateBase, colours.alternate);
    palette.setColor(QPalette::Text, text);
    palette.setColor(QPalette::ButtonText, text);
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::PlaceholderText, colours.quiet);
    palette.setColor(QPalette::ToolTipBase, colours.button);
    palette.setColor(QPalette::ToolTipText, text);
    palette.setColor(QPalette::Highlight, colours.highlight);
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, colours.link);
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
        palette.setColor(QPalette::Disabled, role, faded);
    return palette;
}

/// The system's own colours, with secondary text strong enough to be read.
QPalette systemPalette() {
    QApplication::setPalette(QPalette());
    const QPalette system = QApplication::palette();
    QPalette palette;
    palette.setColor(QPalette::PlaceholderText, blend(system.color(QPalette::Window),
                                                      system.color(QPalette::WindowText), 0.7));
    return palette;
}

} // namespace

void applyTheme(Theme theme) {
    if (!qobject_cast<ThemeStyle*>(QApplication::style()))
        QApplication::setStyle(new ThemeStyle);
    switch (theme) {
    case Theme::System:
        QApplication::setPalette(systemPalette());
        break;
    case Theme::Light:
        QApplication::setPalette(paletteOf(kLight));
        break;
    case Theme::Dark:
        QApplication::setPalette(paletteOf(kDark));
        break;
    }
}

QString themeKey(Theme theme) {
    switch (theme) {
    case Theme::Light:
        return QStringLiteral("light");
    case Theme::Dark:
        return QStringLiteral("dark");
    case Theme::System:
        break;
    }
    return QStringLiteral("system");
}

Theme themeOf(const QString& key) {
    for (const Theme theme : {Theme::Light, Theme::Dark})
        if (themeKey(theme) == key)
            return theme;
    return Theme::System;
}

Theme keptTheme() {
    return themeOf(QSettings().value(settingsKey()).toString());
}

void keepTheme(Theme theme) {
    QSettings().setValue(settingsKey(), themeKey(theme));
}

} // namespace headscope::ui
