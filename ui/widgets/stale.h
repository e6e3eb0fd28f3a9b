#pragma once

#include <QString>

class QWidget;

namespace headscope::ui {

/// Fades a widget whose content belongs to an earlier question, or shows it clearly again. `doing`,
/// which may be empty, is said above what is faded: "layer 7 of 12".
void setStale(QWidget* widget, bool stale, const QString& doing = {});
bool isStale(const QWidget* widget);

} // namespace headscope::ui
