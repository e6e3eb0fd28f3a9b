#include "ui/widgets/tinted_frame.h"

#include "ui/widgets/colours.h"

#include <QEvent>
#include <QGuiApplication>

namespace headscope::ui {
namespace {

constexpr double kTint = 0.2;

} // namespace

TintedFrame::TintedFrame(QColor tint, QWidget* parent) : QFrame(parent), tint_(tint) {
    setAutoFillBackground(true);
    colour();
}

void TintedFrame::setTint(QColor tint) {
    tint_ = tint;
    colour();
}

void TintedFrame::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange)
        colour();
}

void TintedFrame::colour() {
    // The window alone: all other colours are inherited. Of the application, as the parent's
    // palette may not have followed yet.
    QPalette tinted;
    tinted.setColor(QPalette::Window,
                    blend(QGuiApplication::palette().color(QPalette::Window), tint_, kTint));
    setPalette(tinted);
}

} // namespace headscope::ui
