#include "ui/widgets/heatmap/heatmap_theme.h"

#include "ui/widgets/type_colour.h"

namespace headscope::ui {

HeatmapTheme HeatmapTheme::fromPalette(const QPalette& palette) {
    const QColor base = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    return {base,
            blend(base, text, 0.07),
            text,
            blend(base, text, 0.65),
            blend(base, text, 0.3),
            blend(base, text, 0.4),
            palette.color(QPalette::Highlight),
            palette.color(QPalette::HighlightedText)};
}

HeatmapTheme HeatmapTheme::forPaper() {
    return {Qt::white,
            QColor(240, 240, 240),
            Qt::black,
            QColor(80, 80, 80),
            QColor(120, 120, 120),
            QColor(150, 150, 150),
            Qt::black,
            Qt::white};
}

} // namespace headscope::ui
