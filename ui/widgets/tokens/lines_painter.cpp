#include "ui/widgets/tokens/lines_painter.h"

#include "ui/widgets/tokens/text_painter.h"
#include "ui/widgets/type_colour.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kThinnestLine = 0.7; ///< pixels
constexpr double kThickestLine = 5.0;
constexpr double kFaintest = 0.25; ///< opacity
constexpr double kApart = 2.5;     ///< pixels between the lines of two heads
constexpr double kMarkWidth = 5.0;

} // namespace

QRectF LinesColumns::queryRect(std::size_t token) const {
    return {left - label_width, row_height * static_cast<double>(token), label_width, row_height};
}

QRectF LinesColumns::keyRect(std::size_t token) const {
    return {right, row_height * static_cast<double>(token), label_width, row_height};
}

double LinesColumns::middleOf(std::size_t token) const {
    return row_height * (static_cast<double>(token) + 0.5);
}

LinesPainter::LinesPainter(QPainter& painter, const TokenContent& content,
                           const LinesColumns& columns, const HeatmapTheme& theme,
                           const QFont& font)
    : painter_(painter), content_(content), columns_(columns), theme_(theme), font_(font) {}

float LinesPainter::leastOf(int head) const {
    const CellColours& scale = content_.heads[head].scale;
    return std::fabs(strengthOf(static_cast<float>(kLeastLineShare * scale.high), scale));
}

double LinesPainter::marksWidth() const {
    return kMarkWidth * static_cast<double>(content_.heads.size()) + 1.0;
}

void LinesPainter::label(const QRectF& rect, const QString& text, Qt::Alignment side,
                         bool is_framed, bool is_locked) {
    const QRectF inner = rect.adjusted(kLabelPadding, 0.0, -kLabelPadding, 0.0);
    painter_.setPen(theme_.text);
    painter_.drawText(inner, static_cast<int>(side | Qt::AlignVCenter) | Qt::TextSingleLine,
                      painter_.fontMetrics().elidedText(text, Qt::ElideRight,
                                                        static_cast<int>(inner.width()) + 1));
    if (!is_framed)
        return;
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(is_locked ? theme_.accent : theme_.text, 1.6));
    painter_.drawRoundedRect(rect.adjusted(1.0, 1.0, -1.0, -1.0), 4.0, 4.0);
}

void LinesPainter::paintLabels(const CellRange& rows, std::optional<std::size_t> read, bool as_key,
                               bool is_locked) {
    painter_.setFont(font_);
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        const QString& text = content_.labels[static_cast<qsizetype>(row)];
        label(columns_.queryRect(row), text, Qt::AlignRight, read == row && !as_key, is_locked);
        label(columns_.keyRect(row), text, Qt::AlignLeft, read == row && as_key, is_locked);
    }
}

void LinesPainter::line(int head, std::size_t query, std::size_t key, float strength) {
    const double share = std::fabs(static_cast<double>(strength));
    const bool has_sign = isDiverging(content_.heads[head].scale.map);
    const bool is_alone = content_.heads.size() == 1;
    QColor colour = has_sign && is_alone ? tintOf(std::copysign(1.0f, strength),
                                                  content_.heads[head], head, theme_.background)
                                         : headColour(head, theme_.background);
    colour.setAlphaF(static_cast<float>(kFaintest + (1.0 - kFaintest) * share));
    QPen pen(colour, kThinnestLine + (kThickestLine - kThinnestLine) * share);
    pen.setCapStyle(Qt::FlatCap);
    if (strength < 0.0f)
        pen.setDashPattern({3.0, 2.0});
    const auto others = static_cast<double>(content_.heads.size() - 1);
    const double shift = kApart * (head - others / 2.0);
    painter_.setPen(pen);
    painter_.drawLine(QPointF(columns_.left + marksWidth(), columns_.middleOf(query) + shift),
                      QPointF(columns_.right - marksWidth(), columns_.middleOf(key) + shift));
}

void LinesPainter::paintAll(const CellRange& queries, const std::vector<Tensor>& strengths) {
    for (int head = 0; head < content_.heads.size(); ++head) {
        const float least = leastOf(head);
        const Tensor& of = strengths[static_cast<std::size_t>(head)];
        for (std::size_t query = queries.begin; query < queries.end; ++query) {
            const float* row = of.matrix().row(query - queries.begin);
            for (std::size_t key = 0; key < content_.tokens(); ++key)
                if (std::fabs(row[key]) >= least) // not for NaN
                    line(head, query, key, row[key]);
        }
    }
}

void LinesPainter::paintOne(const CellRange& rows, int head, std::size_t token,
                            TokenDirection direction, const std::vector<float>& strengths) {
    const float least = leastOf(head);
    const bool reads = direction == TokenDirection::Reads;
    // A row has few keys above the least, but a key may have thousands of queries.
    const CellRange drawn = reads ? CellRange{0, strengths.size()} : rows;
    for (std::size_t other = drawn.begin; other < drawn.end; ++other) {
        if (!(std::fabs(strengths[other]) >= least))
            continue;
        line(head, reads ? token : other, reads ? other : token, strengths[other]);
        if (rows.contains(other))
            mark(reads ? columns_.keyRect(other) : columns_.queryRect(other), head, reads,
                 strengths[other]);
    }
}

void LinesPainter::mark(const QRectF& label, int head, bool at_keys, float strength) {
    const double shift = kMarkWidth * head;
    const double x =
        at_keys ? columns_.right - marksWidth() + shift : columns_.left + marksWidth() - shift;
    const QRectF rect(at_keys ? x : x - kMarkWidth, label.top() + 3.0, kMarkWidth,
                      label.height() - 6.0);
    painter_.setPen(Qt::NoPen);
    const QColor colour = content_.heads.size() == 1
                              ? tintOf(strength, content_.heads[head], head, theme_.background)
                              : blend(theme_.background, headColour(head, theme_.background),
                                      std::fabs(static_cast<double>(strength)));
    painter_.setBrush(colour);
    painter_.drawRect(rect);
}

} // namespace headscope::ui
