#include "ui/views/inside/inside_painter.h"

#include "ui/views/inside/inside_text.h"
#include "ui/widgets/colours.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kGapsFrom = 7.0; ///< width of tiles between which there are gaps
constexpr double kSideInTile = 3.0;

double tilePlace(double value, double full) {
    return std::clamp(0.5 + 0.5 * value / full, 0.0, 1.0);
}

/// All cells that hold one of `count` numbers from `index` on.
std::pair<std::size_t, std::size_t> cellsOf(const InsideRun& run, std::size_t index,
                                            std::size_t count) {
    const std::size_t first = std::min(index / run.pooled, run.cells() - 1);
    const std::size_t last = std::min((index + count - 1) / run.pooled, run.cells() - 1);
    return {first, last - first + 1};
}

class InsidePainter {
public:
    InsidePainter(QPainter& painter, const InsideScene& scene, const HeadSteps& steps,
                  const InsideInk& ink, const InsideLit& lit, const QFont& font)
        : painter_(painter), scene_(scene), steps_(steps), ink_(ink), lit_(lit), font_(font),
          small_(smallerFont(font)), bold_(font) {
        bold_.setBold(true);
        small_number_ = QFontMetricsF(small_).horizontalAdvance(QStringLiteral("−0.0000"));
    }

    void paint(const QRectF& visible) const {
        for (const InsideCaption& caption : scene_.captions)
            if (caption.area.intersects(visible))
                paintCaption(caption);
        for (const InsideLine& line : scene_.lines)
            if (line.area.intersects(visible))
                paintLine(line);
        if (lit_.cell)
            paintLit(visible);
    }

private:
    void text(const QRectF& area, int flags, const QString& words, const QFont& font,
              const QColor& colour) const {
        painter_.setFont(font);
        painter_.setPen(colour);
        painter_.drawText(area, flags, words);
    }

    void elided(const QRectF& area, int side, const QString& words, const QFont& font,
                const QColor& colour) const {
        text(area, side | Qt::AlignVCenter | Qt::TextSingleLine,
             QFontMetricsF(font).elidedText(words, Qt::ElideRight, area.width()), font, colour);
    }

    void paintCaption(const InsideCaption& caption) const {
        switch (caption.style) {
        case InsideCaption::Style::Number:
            painter_.setPen(Qt::NoPen);
            painter_.setBrush(ink_.accent);
            painter_.drawEllipse(caption.area.adjusted(1.0, 1.0, -1.0, -1.0));
            return text(caption.area, Qt::AlignCenter, caption.text, bold_, ink_.on_accent);
        case InsideCaption::Style::Title:
            return elided(caption.area, Qt::AlignLeft, caption.text, bold_, ink_.text);
        case InsideCaption::Style::Sentence:
            return text(caption.area, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, caption.text,
                        small_, ink_.faint);
        case InsideCaption::Style::Column:
            return elided(caption.area, caption.is_right ? Qt::AlignRight : Qt::AlignLeft,
                          caption.text, small_, ink_.faint);
        }
    }

    void paintLine(const InsideLine& line) const {
        const bool is_lit = line.key && (line.key == lit_.key || isPointedAt(*line.key));
        if (is_lit)
            painter_.fillRect(line.area, blend(ink_.base, ink_.accent, 0.12));
        if (line.key && line.key == lit_.key)
            painter_.fillRect(
                QRectF(line.area.left() - 5.0, line.area.top(), 3.0, line.area.height()),
                ink_.accent);
        if (line.kind == InsideLineKind::Hidden)
            painter_.fillRect(line.area.adjusted(0.0, 1.0, 0.0, -1.0), ink_.hidden);
        if (line.kind == InsideLineKind::Sums) {
            painter_.setPen(ink_.line);
            painter_.drawLine(line.area.topLeft(), line.area.topRight());
        }
        const bool is_faint =
            line.kind == InsideLineKind::Hidden || line.kind == InsideLineKind::More;
        elided(line.label_area, Qt::AlignLeft, line.label, font_,
               is_faint ? ink_.faint : ink_.text);
        if (!line.note.isEmpty()) {
            QRectF rest = line.area;
            rest.setLeft(line.label_area.right() + 6.0);
            elided(rest, Qt::AlignLeft, line.note, small_,
                   line.kind == InsideLineKind::More ? ink_.accent : ink_.faint);
        }
        for (const InsideRun& run : line.runs)
            paintRun(run);
    }

    bool isPointedAt(std::size_t key) const {
        return lit_.cell && isOfKey(lit_.cell->part) && lit_.cell->row == key;
    }

    void paintRun(const InsideRun& run) const {
        if (isVector(run.part)) {
            paintTiles(run);
            return run.is_marked ? paintMark(run) : void();
        }
        if (!run.label.isEmpty())
            return paintToken(run);
        const double value = insideValue(steps_, run.part, run.row, 0);
        if (run.part == InsidePart::Weight || run.part == InsidePart::SinkWeight)
            paintBar({run.area.left(), run.area.top(), run.area.width() - small_number_,
                      run.area.height()},
                     value, ink_.accent);
        text(run.area, Qt::AlignRight | Qt::AlignVCenter, shortNumber(value), small_, ink_.text);
    }

    void paintBar(const QRectF& room, double share, const QColor& colour) const {
        const QRectF bar(room.left(), room.top() + 4.0, room.width() * std::clamp(share, 0.0, 1.0),
                         room.height() - 8.0);
        painter_.fillRect(bar, blend(ink_.base, colour, 0.35));
    }

    void paintToken(const InsideRun& run) const {
        const double value = insideValue(steps_, run.part, run.row, 0);
        const double third = run.area.width() / 3.0;
        const QRectF name(run.area.left(), run.area.top(), third - 6.0, run.area.height());
        const QRectF bar(run.area.left() + third, run.area.top(), third, run.area.height());
        elided(name, Qt::AlignLeft, run.label, font_, ink_.text);
        paintBar(bar, std::abs(value) / run.full,
                 colourAt(ink_.map, tilePlace(value > 0.0 ? 0.8 : -0.8, 1.0)));
        const QString sign = value > 0.0 ? QStringLiteral("+") : QString();
        text({bar.right() + 6.0, run.area.top(), third * 0.6, run.area.height()},
             Qt::AlignRight | Qt::AlignVCenter, sign + shortNumber(value), small_, ink_.text);
    }

    void paintMark(const InsideRun& run) const {
        painter_.setBrush(Qt::NoBrush);
        painter_.setPen(QPen(ink_.accent, 1.5));
        painter_.drawRect(run.area.adjusted(-1.0, -1.0, 1.0, 1.0));
    }

    void paintTiles(const InsideRun& run) const {
        const double width = run.cellArea(0).width();
        const double gap = width >= kGapsFrom ? 1.0 : 0.0;
        painter_.fillRect(run.area.adjusted(-1.0, -1.0, 1.0 - gap, 1.0), ink_.line);
        const QFontMetricsF metrics(small_);
        const bool has_numbers =
            width - gap >= metrics.horizontalAdvance(QStringLiteral("−0.00")) + kSideInTile;
        for (std::size_t place = 0; place < run.cells(); ++place) {
            const InsideCell cell = run.cell(place);
            const double value = insideValue(steps_, run.part, run.row, largestIndex(steps_, cell));
            const QColor colour = colourAt(ink_.map, tilePlace(value, run.full));
            const QRectF tile = run.cellArea(place).adjusted(0.0, 0.0, -gap, 0.0);
            painter_.fillRect(tile, colour);
            if (has_numbers)
                text(tile, Qt::AlignCenter, tileNumber(value), small_, readableOn(colour));
        }
    }

    /// Frames what is pointed at, and what it is made of.
    void paintLit(const QRectF& visible) const {
        painter_.setBrush(Qt::NoBrush);
        for (const InsideLine& line : scene_.lines) {
            if (!line.area.intersects(visible))
                continue;
            for (const InsideRun& run : line.runs) {
                const auto cells = litCells(steps_, *lit_.cell, run);
                if (!cells)
                    continue;
                const QRectF frame = run.cellArea(cells->first)
                                         .united(run.cellArea(cells->first + cells->second - 1));
                const bool is_itself =
                    run.part == lit_.cell->part && run.row == lit_.cell->row && cells->second == 1;
                painter_.setPen(QPen(is_itself ? ink_.text : ink_.accent, is_itself ? 2.0 : 1.5));
                painter_.drawRect(frame.adjusted(-0.5, -0.5, 0.5, 0.5));
            }
        }
    }

    QPainter& painter_;
    const InsideScene& scene_;
    const HeadSteps& steps_;
    const InsideInk& ink_;
    const InsideLit& lit_;
    QFont font_;
    QFont small_;
    QFont bold_;
    double small_number_ = 0.0; ///< the width of one
};

using Cells = std::optional<std::pair<std::size_t, std::size_t>>;

Cells allOf(const InsideRun& run, bool is_lit) {
    return is_lit ? Cells({0, run.cells()}) : std::nullopt;
}

Cells someOf(const InsideRun& run, const InsideCell& lit, bool is_lit) {
    return is_lit ? Cells(cellsOf(run, lit.index, lit.count)) : std::nullopt;
}

/// Of the dimensions of query and key.
Cells ofProduct(const InsideCell& lit, const InsideRun& run) {
    const bool is_of_row = isOfKey(run.part) && run.row == lit.row;
    const bool all = lit.part == InsidePart::Query; // a column
    switch (run.part) {
    case InsidePart::Query:
        return someOf(run, lit, true);
    case InsidePart::Key:
        return someOf(run, lit, all || is_of_row);
    case InsidePart::Product:
        return someOf(run, lit, all || (is_of_row && lit.part == InsidePart::Product));
    default:
        return std::nullopt;
    }
}

/// Of the dimensions of values and z.
Cells ofValues(const InsideCell& lit, const InsideRun& run) {
    const bool all = lit.part == InsidePart::Z;
    const bool is_of_row = isOfKey(run.part) && run.row == lit.row;
    switch (run.part) {
    case InsidePart::Value:
    case InsidePart::WeightedValue:
        return someOf(run, lit, all || is_of_row);
    case InsidePart::Weight:
        return allOf(run, all || is_of_row);
    case InsidePart::Z:
        return someOf(run, lit, true);
    default:
        return std::nullopt;
    }
}

/// What a number of a key's line is made of.
Cells ofNumber(const InsideCell& lit, const InsideRun& run) {
    if (lit.part == InsidePart::Dot)
        return allOf(run, run.part == InsidePart::Query ||
                              (run.row == lit.row &&
                               (run.part == InsidePart::Key || run.part == InsidePart::Product)));
    if (lit.part == InsidePart::Exponential)
        return allOf(run, run.row == lit.row && run.part == InsidePart::Score);
    if (lit.part == InsidePart::Weight || lit.part == InsidePart::SinkWeight)
        return allOf(run, run.part == InsidePart::Sum ||
                              (lit.part == InsidePart::Weight && run.row == lit.row &&
                               run.part == InsidePart::Exponential));
    if (lit.part == InsidePart::Sum)
        return allOf(run, run.part == InsidePart::Exponential ||
                              run.part == InsidePart::SinkExponential);
    return allOf(run, lit.part == InsidePart::WeightSum && run.part == InsidePart::Weight);
}

} // namespace

std::optional<std::pair<std::size_t, std::size_t>>
litCells(const HeadSteps& steps, const InsideCell& lit, const InsideRun& run) {
    if (run.part == lit.part && run.row == lit.row)
        return cellsOf(run, lit.index, lit.count);
    switch (lit.part) {
    case InsidePart::Query:
    case InsidePart::Key:
    case InsidePart::Product:
        return ofProduct(lit, run);
    case InsidePart::Value:
    case InsidePart::WeightedValue:
    case InsidePart::Z:
        return ofValues(lit, run);
    case InsidePart::OwnQuery:
    case InsidePart::OwnKey:
    case InsidePart::OwnValue:
        return allOf(run, run.part == (steps.has_norm ? InsidePart::Read : InsidePart::Stream));
    case InsidePart::HeadOutput:
        return allOf(run, run.part == InsidePart::HeadZ && run.row == placeOfHead(steps));
    case InsidePart::LayerOutput:
        return allOf(run, run.part == InsidePart::HeadZ);
    default:
        return ofNumber(lit, run);
    }
}

InsideInk InsideInk::fromPalette(const QPalette& palette) {
    const HeatmapTheme theme = HeatmapTheme::fromPalette(palette);
    return {theme.background, theme.text,   theme.faint,     theme.frame,
            theme.masked,     theme.accent, theme.on_accent, divergingOn(theme.background)};
}

InsideInk InsideInk::forPaper() {
    return {Qt::white,
            Qt::black,
            QColor(80, 80, 80),
            QColor(170, 170, 170),
            QColor(240, 240, 240),
            QColor(0x1f, 0x5f, 0xa8),
            Qt::white,
            ColourMap::Diverging};
}

void paintInside(QPainter& painter, const InsideScene& scene, const HeadSteps& steps,
                 const InsideInk& ink, const InsideLit& lit, const QFont& font,
                 const QRectF& visible) {
    InsidePainter(painter, scene, steps, ink, lit, font).paint(visible);
}

} // namespace headscope::ui
