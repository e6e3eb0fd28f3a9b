#include "ui/widgets/token_lines.h"

#include "ui/widgets/colours.h"
#include "ui/widgets/figure/figure_file.h"
#include "ui/widgets/tokens/running_text.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QScrollBar>

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

namespace {

constexpr double kRowGap = 6.0;      ///< between labels that are as close as they can be
constexpr double kTallestRow = 34.0; ///< of a short prompt
constexpr double kFigureRow = 22.0;
constexpr double kLabelShare = 0.3;    ///< of the width, at most
constexpr double kWidestLines = 460.0; ///< between the columns
constexpr std::size_t kMostFigureRows = 80;

} // namespace

TokenLines::TokenLines(QWidget* parent) : TokenView(parent) {}

void TokenLines::forget() {
    known_weights_.clear();
}

LinesColumns TokenLines::columnsFor(double width, const QFont& font, double row_height) const {
    const QFontMetricsF metrics(font);
    double widest = 0.0;
    for (const QString& label : content().labels)
        widest = std::max(widest, metrics.horizontalAdvance(label));
    LinesColumns columns;
    columns.row_height = row_height;
    columns.label_width = std::min(std::ceil(widest) + 2.0 * kLabelPadding, kLabelShare * width);
    const double lines = std::min(width - 2.0 * columns.label_width, kWidestLines);
    columns.left = (width - lines) / 2.0;
    columns.right = columns.left + lines;
    return columns;
}

void TokenLines::layOut(double width) {
    const double least = fontMetrics().height() + kRowGap;
    const double room = viewport()->height() - 2.0 * kRowGap - least;
    const double tall = room / std::max(1.0, static_cast<double>(content().tokens()));
    columns_ = columnsFor(width, font(), std::clamp(tall, least, std::max(least, kTallestRow)));
}

double TokenLines::contentHeight() const {
    return columns_.row_height * static_cast<double>(content().tokens());
}

QRectF TokenLines::rectOf(std::size_t token) const {
    return columns_.queryRect(token);
}

std::optional<TokenView::Reading> TokenLines::readingAt(QPointF position) const {
    const auto row = static_cast<qsizetype>(std::floor(position.y() / columns_.row_height));
    if (row < 0 || row >= content().labels.size())
        return std::nullopt;
    const bool is_query = position.x() < (columns_.left + columns_.right) / 2.0;
    return Reading{static_cast<std::size_t>(row),
                   is_query ? TokenDirection::Reads : TokenDirection::ReadBy};
}

std::size_t TokenLines::neighbour(std::size_t token, int lines) const {
    const auto row = static_cast<qsizetype>(token) + lines;
    return static_cast<std::size_t>(std::clamp<qsizetype>(row, 0, content().labels.size() - 1));
}

CellRange TokenLines::rowsWithin(const QRectF& area) const {
    const auto row = [this](double y) {
        return static_cast<std::size_t>(std::clamp(std::floor(y / columns_.row_height), 0.0,
                                                   static_cast<double>(content().tokens())));
    };
    return {row(area.top()), std::min(row(area.bottom()) + 1, content().tokens())};
}

const std::vector<Tensor>& TokenLines::weightsOf(const CellRange& queries) const {
    if (known_weights_.empty() || known_rows_ != queries) {
        known_weights_.clear();
        for (const TokenHead& head : content().heads)
            known_weights_.push_back(strengthsOf(head, queries));
        known_rows_ = queries;
    }
    return known_weights_;
}

CellRange TokenLines::rowsInSight() const {
    const double top = verticalScrollBar()->value();
    return rowsWithin(QRectF(0.0, top, 1.0, viewport()->height()));
}

void TokenLines::paint(LinesPainter& lines, const CellRange& rows) const {
    const auto read = reading();
    lines.paintLabels(rows, read ? std::optional(read->token) : std::nullopt,
                      read && read->direction == TokenDirection::ReadBy, current().has_value());
    if (!read)
        return lines.paintAll(rows, weightsOf(rows));
    for (int head = 0; head < content().heads.size(); ++head)
        lines.paintOne(rows, head, read->token, read->direction,
                       strengthsAround(content().heads[head], read->token, read->direction));
}

void TokenLines::draw(QPainter& painter, const QRectF&) const {
    LinesPainter lines(painter, content(), columns_, theme(), font());
    paint(lines, rowsInSight());
}

CellRange TokenLines::figureRows() const {
    return content().tokens() <= kMostFigureRows ? CellRange{0, content().tokens()} : rowsInSight();
}

double TokenLines::figureHeight(double) const {
    return kFigureRow * static_cast<double>(figureRows().size());
}

void TokenLines::drawFigure(QPainter& painter, double width) const {
    const QFont font = figureFont(this->font().family());
    const LinesColumns columns = columnsFor(width, font, kFigureRow);
    const CellRange rows = figureRows();
    painter.setClipRect(QRectF(0.0, 0.0, width, figureHeight(width)));
    painter.translate(0.0, -kFigureRow * static_cast<double>(rows.begin));
    LinesPainter lines(painter, content(), columns, HeatmapTheme::forPaper(), font);
    paint(lines, rows);
}

} // namespace headscope::ui
