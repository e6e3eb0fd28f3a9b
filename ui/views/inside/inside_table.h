#pragma once

#include "ui/document/inside_reading.h"
#include "ui/views/inside/inside_scene.h"

#include <QFont>
#include <QString>

#include <utility>

namespace headscope::ui {

inline constexpr double kInsideInset = 10.0;
inline constexpr double kInsideGap = 9.0; ///< between columns
inline constexpr double kInsideBlockGap = 16.0;

/// A scene that grows downwards, and the measures that its parts share.
struct InsideSheet {
    InsideSheet(double full_width, const QFont& of_text);

    double left() const { return kInsideInset + label_width; } ///< where numbers begin
    double right() const { return width - kInsideInset; }
    /// The next line, with its label.
    InsideLine& addLine(InsideLineKind kind, const QString& label);
    /// A vector in tiles that are no wider than can be read, pooled where they are too many.
    InsideRun tiles(const HeadSteps& steps, InsidePart part, std::size_t row, double x,
                    double most_width, const QRectF& line);

    double width = 0.0;
    QFont font;
    QFont small_font;
    double label_width = 0.0;
    double line_height = 0.0;
    double small_height = 0.0;
    double y = kInsideInset - kInsideBlockGap;
    InsideScene scene;

private:
    double full(const HeadSteps& steps, InsidePart part);

    QList<std::pair<InsidePart, double>> full_; ///< what is known of fullColour()
};

/// The heading of a step between two abscissas at the sheet's present height; returns where it
/// ends.
double addInsideHeading(InsideSheet& sheet, int number, const QString& title,
                        const QString& sentence, std::pair<double, double> between);

/// The keys, a line for each: scores, softmax and weighted sum.
void addInsideTable(const InsideReading& reading, const InsideOptions& options, InsideSheet& sheet);

} // namespace headscope::ui
