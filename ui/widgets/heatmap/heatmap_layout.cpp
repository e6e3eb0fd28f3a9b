#include "ui/widgets/heatmap/heatmap_layout.h"

#include <QFontMetricsF>
#include <QSet>

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr double kEdge = 8.0;
constexpr double kGap = 5.0;
constexpr double kLongestLabel = 7.5;    ///< in heights of the label font
constexpr double kLargestCell = 72.0;    ///< pixels, so that three tokens do not fill a screen
constexpr std::size_t kMostSquare = 160; ///< up to here cells stay square
constexpr double kBars = 26.0;           ///< width of the margin for bars of rows
constexpr double kRoomyColumn = 14.0;    ///< pixels from which bars are in their own column
constexpr double kLeastMap = 24.0;       ///< pixels, however small the window

QFont scaledFont(QFont font, double factor) {
    if (font.pixelSize() > 0)
        font.setPixelSize(std::max(7, qRound(font.pixelSize() * factor)));
    else
        font.setPointSizeF(std::max(6.0, font.pointSizeF() * factor));
    return font;
}

/// What surrounds the map on each side.
struct Frame {
    double left, top, right, bottom;
};

double cellSide(const HeatmapContent& content, QSize size, const Frame& frame) {
    const double width = std::max(kLeastMap, size.width() - frame.left - frame.right);
    const double height = std::max(kLeastMap, size.height() - frame.top - frame.bottom);
    return std::min({width / static_cast<double>(content.cells->columns()),
                     height / static_cast<double>(content.cells->rows()), kLargestCell});
}

QRectF mapRect(const HeatmapContent& content, QSize size, const Frame& frame) {
    const auto rows = content.cells->rows();
    const auto columns = content.cells->columns();
    double width = std::max(kLeastMap, size.width() - frame.left - frame.right);
    double height = std::max(kLeastMap, size.height() - frame.top - frame.bottom);
    double spare = 0.0;
    if (std::max(rows, columns) <= kMostSquare) {
        const double side = cellSide(content, size, frame);
        spare = std::max(0.0, width - side * static_cast<double>(columns));
        width = std::floor(side * static_cast<double>(columns));
        height = std::floor(side * static_cast<double>(rows));
    }
    return {std::floor(frame.left + spare / 2.0), std::floor(frame.top), width, height};
}

/// As many lines as the text needs over the whole width, but at most a fifth of the drawing.
double wrappedHeight(const QString& text, QSize size, const QFont& font) {
    const QRectF room(0, 0, size.width() - 2.0 * kEdge, size.height() / 5.0);
    const QRectF needed = QFontMetricsF(font).boundingRect(room, Qt::TextWordWrap, text);
    return std::ceil(std::min(needed.height(), room.height()));
}

/// At the bottom.
QRectF noteRect(const QString& note, QSize size, const QFont& font) {
    const double height = wrappedHeight(note, size, font);
    return {kEdge, size.height() - kEdge - height, size.width() - 2.0 * kEdge, height};
}

} // namespace

HeatmapFonts::HeatmapFonts(const QFont& base)
    : title(scaledFont(base, 1.1)), label(scaledFont(base, 0.95)), note(scaledFont(base, 0.85)) {
    title.setBold(true);
}

double LabelWidth::of(const QStringList& labels, const QFont& font) {
    if (labels == labels_ && font == font_)
        return width_;
    labels_ = labels;
    font_ = font;
    width_ = 0.0;
    const QFontMetricsF metrics(font);
    for (const QString& label : QSet<QString>(labels.begin(), labels.end()))
        width_ = std::max(width_, metrics.horizontalAdvance(label));
    return width_;
}

HeatmapLayout layOutHeatmap(const HeatmapContent& content, QSize size, const HeatmapFonts& fonts,
                            const LabelWidths& label_widths, double scale_width, bool with_note) {
    HeatmapLayout layout;
    layout.fonts = fonts;
    const double line = QFontMetricsF(fonts.label).height();
    layout.longest_label =
        std::min({kLongestLabel * line, 0.22 * size.width(), 0.3 * size.height()});
    const double row_label = std::min(label_widths.row, layout.longest_label);
    const double column_label = std::min(label_widths.column, layout.longest_label);
    const double row_name = content.row_axis.isEmpty() ? 0.0 : line + kGap;
    const double column_name = content.column_axis.isEmpty() ? 0.0 : line + kGap;
    const double title =
        content.title.isEmpty() ? 0.0 : wrappedHeight(content.title, size, fonts.title);

    if (with_note && !content.note.isEmpty())
        layout.note = noteRect(content.note, size, fonts.note);
    const double note = layout.note.isEmpty() ? 0.0 : layout.note.height() + kGap;

    Frame frame{kEdge + row_name + row_label + kGap,
                kEdge + title + kGap + column_name + line + kGap, scale_width + kEdge,
                std::max(kEdge, line / 2.0 + 1.0) + note};
    const bool in_margin = !content.bars.empty() &&
                           (content.bars_beside || cellSide(content, size, frame) < kRoomyColumn);
    if (in_margin)
        frame.left += kBars;
    layout.columns_upright = column_label + 2.0 * kGap > cellSide(content, size, frame);
    if (layout.columns_upright)
        frame.top += column_label - line;
    layout.map = mapRect(content, size, frame);
    if (in_margin)
        layout.bars =
            QRectF(layout.map.left() - kBars, layout.map.top(), kBars - 2.0, layout.map.height());
    layout.title = QRectF(kEdge, kEdge, size.width() - 2.0 * kEdge, title);
    layout.row_name =
        QRectF(layout.map.left() - frame.left + kEdge, layout.map.top(), line, layout.map.height());
    layout.column_name = QRectF(layout.map.left(), kEdge + title + kGap, layout.map.width(), line);
    return layout;
}

} // namespace headscope::ui
