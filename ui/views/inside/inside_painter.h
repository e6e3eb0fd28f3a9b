#pragma once

#include "core/base/colour_map.h"
#include "ui/views/inside/inside_scene.h"

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QRectF>

#include <cstddef>
#include <optional>
#include <utility>

class QPainter;

namespace headscope::ui {

/// The colours of the screen, or of a figure, which is on white.
struct InsideInk {
    QColor base;
    QColor text;
    QColor faint;
    QColor line;
    QColor hidden; ///< behind keys that the mask hides
    QColor accent;
    QColor on_accent;
    ColourMap map = ColourMap::Diverging;

    static InsideInk fromPalette(const QPalette& palette);
    static InsideInk forPaper();
};

/// What of a scene is pointed out.
struct InsideLit {
    std::optional<InsideCell> cell;
    std::optional<std::size_t> key; ///< row of HeadSteps::keys
};

/// The first and the number of the cells of a run that take part in what is lit; none: no cell.
std::optional<std::pair<std::size_t, std::size_t>>
litCells(const HeadSteps& steps, const InsideCell& lit, const InsideRun& run);

/// Draws what of the scene is in `visible`.
void paintInside(QPainter& painter, const InsideScene& scene, const HeadSteps& steps,
                 const InsideInk& ink, const InsideLit& lit, const QFont& font,
                 const QRectF& visible);

} // namespace headscope::ui
