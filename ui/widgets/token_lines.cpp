#include "ui/widgets/token_lines.h"

#include "ui/widgets/figure/figure_file.h"
#include "ui/widgets/heatmap/heatmap_theme.h"
#include "ui/widgets/tokens/lines_painter.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace headscope::ui {
namespace {

constexpr double kRowGap = 6.0;      ///< between labels that stand as closely as they can
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
