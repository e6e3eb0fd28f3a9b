#pragma once

#include "ui/document/inside_reading.h"
#include "ui/views/inside/inside_parts.h"

#include <QString>

#include <cstddef>

namespace headscope::ui {

/// As the table has it: "1.234", "−0.050", "4.5e−05", "12345".
QString shortNumber(double value);
/// In a tile, which has little room: "1.23", "−0.5", "12".
QString tileNumber(double value);
/// With the digits of a read-out: "0.4123", "−12.35", "1.234e−05".
QString longNumber(double value);

/// "q₁₂"
QString indexed(const QString& name, std::size_t index);

/// All that is to be said of what is under the pointer: what it is, its number, and how that comes
/// about, as "q₃ = 0.41 × 1.20 + … = 1.23".
QString insideReadout(const InsideReading& reading, const InsideCell& cell);

/// "Its keys and values are shared with heads 1, 2 and 3."; empty where it shares none.
QString sharingSentence(const HeadSteps& steps);

/// "What if: temperature 2.0; the network's own is 1"; empty for that.
QString whatIfSentence(double temperature);

/// "2.0", "0.10"
QString temperatureText(double temperature);

/// "× 0.25", or "÷ √16" where that is what it is
QString scaleText(const HeadSteps& steps);

} // namespace headscope::ui
