#pragma once

#include <QColor>

class QPainter;
class QRectF;

namespace headscope::ui {

/// How a chip shows its colour: they stay apart where colours do not.
enum class ChipLook {
    Full,    ///< filled
    Ringed,  ///< filled, inside a ring
    Hollow,  ///< a line around it
    Dashed,  ///< a broken line
    Striped, ///< stripes inside a line
    Faint,   ///< next to nothing of the colour
};

/// Draws a chip of this colour on `ground`, and says in which colour to write on it. Very small
/// ones have no lines.
QColor paintChip(QPainter& painter, const QRectF& rect, double radius, ChipLook look,
                 const QColor& colour, const QColor& ground);

} // namespace headscope::ui
