#pragma once

#include "ui/markup/markup.h"

#include <QMessageBox>
#include <QString>

namespace headscope::ui {

/// A question whose text is shown as it is. Waits for the answer.
QMessageBox::StandardButton askInBox(QWidget* parent, const QString& title, const QString& text,
                                     QMessageBox::StandardButtons answers,
                                     QMessageBox::StandardButton usual);

/// Says what the program is, beside its icon, until the box is closed.
void tellInBox(QWidget* parent, const QString& title, const Markup& text);

} // namespace headscope::ui
