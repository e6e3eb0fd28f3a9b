#pragma once

#include "ui/widgets/heatmap/heatmap_theme.h"
#include "ui/widgets/token_content.h"
#include "ui/widgets/tokens/text_layout.h"

#include <QFont>
#include <QRectF>

#include <optional>
#include <vector>

class QPainter;

namespace headscope::ui {

/// What is marked in a text.
struct TextMarks {
    std::vector<std::vector<float>> strengths; ///< [head][token]
    std::optional<std::size_t> read;           ///< the token that they are of: framed
    bool is_locked = false;                    ///< it stays where the pointer goes
};

/// Pixels that the marks of so many heads take below a line.
double footOf(qsizetype heads);

/// Draws the lines within `visible`. One head tints its tokens, several underline them. Tokens that
/// no head can see are faint.
void paintTokenText(QPainter& painter, const TokenContent& content, const TextLayout& layout,
                    const TextMarks& marks, const HeatmapTheme& theme, const QFont& font,
                    const QRectF& visible);

/// "● L4 H1  ● L2 H1" in the colours of the heads, from the origin on. With one head nothing is
/// drawn.
void paintHeadNames(QPainter& painter, const TokenContent& content, const HeatmapTheme& theme,
                    const QFont& font);

/// What that takes, and the gap below; 0 with one head.
double headNamesHeight(const TokenContent& content, const QFont& font);

/// The colour of a strength of a head beside others, which may have a sign where it stands alone.
QColor tintOf(float strength, const TokenHead& head, int index, const QColor& background);

} // namespace headscope::ui
