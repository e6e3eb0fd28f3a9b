#pragma once

#include "ui/document/inside_reading.h"
#include "ui/views/inside/inside_parts.h"

#include <QFont>
#include <QList>
#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>

#include <cstddef>
#include <optional>

namespace headscope::ui {

/// What the user chose to see of the steps.
struct InsideOptions {
    bool all_heads = false; ///< the concatenation, in place of this head's z alone
    bool all_keys = false;  ///< also of a long prompt

    bool operator==(const InsideOptions&) const = default;
};

/// Numbers side by side: tiles, or one number that is written.
struct InsideRun {
    InsidePart part = InsidePart::Stream;
    std::size_t row = 0;
    QRectF area;
    std::size_t count = 1;  ///< numbers
    std::size_t pooled = 1; ///< of them in a tile
    double full = 1.0;      ///< the magnitude of the strongest colour
    QString label = {};     ///< within the area, before a bar
    bool is_marked = false; ///< of the head among the others

    bool operator==(const InsideRun&) const = default;
    std::size_t cells() const { return (count + pooled - 1) / pooled; }
    InsideCell cell(std::size_t place) const;
    QRectF cellArea(std::size_t place) const;
    /// The cell at this abscissa, which must be within the area.
    std::size_t cellAt(double x) const;
};

enum class InsideLineKind {
    Strip,
    Key,
    Sink,
    Hidden, ///< by the mask
    More,   ///< keys that are left out
    Sums,
};

/// What stands in one line of the picture.
struct InsideLine {
    InsideLineKind kind = InsideLineKind::Strip;
    QRectF area;
    QString label;
    QRectF label_area;
    QString note = {}; ///< in place of numbers, after the label
    QList<InsideRun> runs = {};
    std::optional<std::size_t> key = std::nullopt; ///< row of HeadSteps::keys
};

/// A text of its own.
struct InsideCaption {
    enum class Style { Number, Title, Sentence, Column };
    Style style = Style::Sentence;
    QRectF area;
    QString text;
    bool is_right = false;
};

/// Where everything is, for a width and a font.
struct InsideScene {
    QSizeF size;
    QList<InsideCaption> captions;
    QList<InsideLine> lines;
};

/// A cell in the scene.
struct InsidePlace {
    qsizetype line = 0;
    qsizetype run = 0;
    std::size_t cell = 0;

    bool operator==(const InsidePlace&) const = default;
};

/// How narrow it may be.
double leastInsideWidth(const HeadSteps& steps, const QFont& font);

InsideScene layOutInside(const InsideReading& reading, const InsideOptions& options, double width,
                         const QFont& font);

InsideCell cellIn(const InsideScene& scene, const InsidePlace& place);
QRectF areaIn(const InsideScene& scene, const InsidePlace& place);
std::optional<InsidePlace> placeAt(const InsideScene& scene, QPointF position);
std::optional<InsidePlace> firstPlace(const InsideScene& scene);
/// One cell to the side, or the nearest in a line further up or down; the same at the edge.
InsidePlace neighbourOf(const InsideScene& scene, const InsidePlace& place, int columns, int lines);
/// Where a number is drawn; none: it is not.
std::optional<InsidePlace> placeOf(const InsideScene& scene, const InsideCell& cell);

/// The font of sentences and numbers beside that of titles.
QFont smallerFont(QFont font);

} // namespace headscope::ui
