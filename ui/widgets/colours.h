#pragma once

#include "core/base/colour_map.h"

#include <QColor>
#include <QList>
#include <QPalette>
#include <QString>

namespace headscope::ui {

/// Colours that stay apart for people who see colours differently (Okabe & Ito 2008), one per
/// head type by its position in the list of types (from 0); from the ninth on the same ones,
/// paler.
QColor typeColour(int index);

/// A colour for thin lines: darker or lighter as far as it needs to be to stand out from
/// `background` (contrast 3 of WCAG 2.1).
QColor standingOut(QColor colour, QColor background);

/// The same hues for thin lines. Seven of them, counted from 0, come round again.
QColor lineColour(int index, QColor background);

/// Colours of heads that are drawn over one another: up to here they stay apart, in each kind of
/// colour-blindness too (ΔE 20 of CIE 1976 and more).
constexpr int kHeadColours = 6;
/// The colour of one of them, from 0, for lines and marks on `background`.
QColor headColour(int index, QColor background);

/// Black or white, whichever reads better on `background`.
QColor readableOn(QColor background);

/// What marks a change for the worse, and one for the better.
QColor changeColour(bool worse);

/// `from` at fraction 0, `to` at 1, opaque.
QColor blend(QColor from, QColor to, double fraction);

/// The diverging map whose 0 does not stand out from `background`.
ColourMap divergingOn(const QColor& background);

QList<ColourMap> sequentialColourMaps();
QString colourMapName(ColourMap map);

/// `fraction` 0..1 along the map; values outside are clamped, NaN gives a neutral grey.
QColor colourAt(ColourMap map, double fraction);

/// Colours of everything around the cells.
struct HeatmapTheme {
    QColor background;
    QColor masked; ///< behind cells that are not visible
    QColor text;
    QColor faint; ///< axis names, notes
    QColor frame;
    QColor bar;    ///< in place of a hidden column
    QColor accent; ///< what the user points at
    QColor on_accent;

    static HeatmapTheme fromPalette(const QPalette& palette);
    /// Black on white, whatever the window looks like.
    static HeatmapTheme forPaper();
};

} // namespace headscope::ui
