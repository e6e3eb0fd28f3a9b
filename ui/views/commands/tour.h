#pragma once

#include "ui/markup/markup.h"
#include "ui/views/window/command.h"

#include <QList>
#include <QString>

namespace headscope::ui {

/// A stop of the tour: a command of the window and what it is good for.
struct TourStop {
    QString command; ///< its Command::id
    QString text;
};

/// The stops in the order of a first session, from the picture of one head to a project.
QList<TourStop> tourStops();

/// The tour as rich text. Names and keys are those of `commands`; a stop whose command is not among
/// them is left out.
Markup tour(const QList<Command>& commands);

} // namespace headscope::ui
