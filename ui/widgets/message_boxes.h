#pragma once

#include "ui/markup/markup.h"

#include <QMessageBox>
#include <QString>
#include <QStringList>

#include <cstddef>
#include <optional>

namespace headscope::ui {

/// A question whose text is shown as it is. Waits for the answer.
QMessageBox::StandardButton askInBox(QWidget* parent, const QString& title, const QString& text,
                                     QMessageBox::StandardButtons answers,
                                     QMessageBox::StandardButton usual);

/// The number of the answer that was given, counted from 0; none where the question was cancelled,
/// which is the usual answer.
std::optional<std::size_t> chooseInBox(QWidget* parent, const QString& title, const QString& text,
                                       const QStringList& answers);

/// Says what the program is, beside its icon, until the box is closed.
void tellInBox(QWidget* parent, const QString& title, const Markup& text);

} // namespace headscope::ui
