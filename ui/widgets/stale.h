#pragma once

class QWidget;

namespace headscope::ui {

/// Fades a widget whose content belongs to an earlier question, or shows it clearly again.
void setStale(QWidget* widget, bool stale);
bool isStale(const QWidget* widget);

} // namespace headscope::ui
