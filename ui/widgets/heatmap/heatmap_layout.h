#pragma once

#include "ui/widgets/heatmap.h"

#include <QFont>
#include <QRectF>
#include <QSize>

namespace headscope::ui {

struct HeatmapFonts {
    QFont title;
    QFont label; ///< tokens, axis names, colour scale
    QFont note;

    explicit HeatmapFonts(const QFont& base = {});
};

/// The widest of some labels in pixels. Remembers the last answer: there may be thousands of
/// labels, and a layout is made at every step of a resize.
class LabelWidth {
public:
    double of(const QStringList& labels, const QFont& font);

private:
    QStringList labels_;
    QFont font_;
    double width_ = 0.0;
};

struct LabelWidths {
    double row = 0.0;
    double column = 0.0;
};

/// Where the parts of a heatmap are in a drawing of a given size.
struct HeatmapLayout {
    QRectF map;  ///< the cells
    QRectF bars; ///< of the rows, left of the map; empty where they are drawn in the first column
    QRectF title;
    QRectF note;
    QRectF row_name; ///< upright; its text runs upwards
    QRectF column_name;
    HeatmapFonts fonts;
    double longest_label = 0.0;  ///< labels are shortened to this many pixels
    bool columns_upright = true; ///< column labels run upwards, as they are wider than a cell
};

/// Cells are square while there are few of them and fill the room otherwise. `scale_width` is kept
/// free at the right for the colour scale.
HeatmapLayout layOutHeatmap(const HeatmapContent& content, QSize size, const HeatmapFonts& fonts,
                            const LabelWidths& label_widths, double scale_width, bool with_note);

} // namespace headscope::ui
