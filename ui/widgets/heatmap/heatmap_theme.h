#pragma once

#include <QColor>
#include <QPalette>

namespace headscope::ui {

/// Colours of everything around the cells.
struct HeatmapTheme {
    QColor background;
    QColor masked; ///< behind cells that are not visible
    QColor text;
    QColor faint; ///< axis names, notes
    QColor frame;
    QColor bar;    ///< stands for a hidden column
    QColor accent; ///< what the user points at
    QColor on_accent;

    static HeatmapTheme fromPalette(const QPalette& palette);
    /// Black on white, whatever the window looks like.
    static HeatmapTheme forPaper();
};

} // namespace headscope::ui
