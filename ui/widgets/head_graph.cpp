#include "ui/widgets/head_graph.h"

#include "ui/markup/markup.h"
#include "ui/widgets/colours.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kThinnest = 1.0; ///< lines, pixels
constexpr double kWidest = 6.0;
constexpr double kLineGrip = 6.0; ///< how much wider than drawn a line is for the pointer
constexpr double kDot = 3.5;      ///< radius
constexpr double kGraphLabels = 26.0;
constexpr double kGraphInset = 14.0;
constexpr double kLargestBadge = 18.0; ///< side
constexpr double kBadgePart = 0.7;     ///< of a cell
constexpr double kSideForLetter = 11.0;

/// Every how many columns a label fits.
int nodeLabelStep(double cell, double label) {
    return std::max(1, static_cast<int>(label / std::max(1.0, cell)) + 1);
}

} // namespace

HeadGraph::HeadGraph(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void HeadGraph::setGrid(int rows, int columns) {
    rows_ = rows;
    columns_ = columns;
    nodes_.clear();
    setEdges({});
}

void HeadGraph::setNodes(QList<Node> nodes) {
    Q_ASSERT(nodes.isEmpty() || nodes.size() == qsizetype{rows_} * columns_);
    nodes_ = std::move(nodes);
    update();
}

void HeadGraph::setEdges(QList<Edge> edges) {
    edges_ = std::move(edges);
    largest_ = 0.0;
    for (const Edge& edge : std::as_const(edges_))
        largest_ = std::max(largest_, edge.weight);
    setCurrent(-1);
    setAccessibleDescription(tr("%1 connections").arg(edges_.size()));
}

void HeadGraph::setCurrent(int edge) {
    current_ = edge;
    update();
}

QSize HeadGraph::sizeHint() const {
    return {380, 240};
}

QSize HeadGraph::minimumSizeHint() const {
    return {160, 120};
}

QSizeF HeadGraph::cellSize() const {
    return {(width() - kGraphLabels - kGraphInset) / columns_,
            (height() - kGraphLabels - kGraphInset) / rows_};
}

QPointF HeadGraph::centre(QPoint head) const {
    const QSizeF cell = cellSize();
    return {kGraphLabels + (head.x() + 0.5) * cell.width(),
            kGraphLabels + (head.y() + 0.5) * cell.height()};
}

double HeadGraph::badgeSide() const {
    const QSizeF cell = cellSize();
    return std::min(kLargestBadge, kBadgePart * std::min(cell.width(), cell.height()));
}

const HeadGraph::Node* HeadGraph::nodeAt(QPointF position) const {
    const double reach = std::max(badgeSide(), 2.0 * kDot) / 2.0;
    for (qsizetype i = 0; i < nodes_.size(); ++i) {
        const QPointF away =
            position - centre({static_cast<int>(i % columns_), static_cast<int>(i / columns_)});
        if (std::max(std::abs(away.x()), std::abs(away.y())) <= reach)
            return &nodes_[i];
    }
    return nullptr;
}

/// Leaves downwards and arrives from above, so that lines along a column do not hide each other.
QPainterPath HeadGraph::line(const Edge& edge) const {
    const QPointF from = centre(edge.from);
    const QPointF to = centre(edge.to);
    const double bend = 0.5 * (to.y() - from.y());
    const double aside = edge.from.x() == edge.to.x() ? 0.25 * bend : 0.0;
    QPainterPath path(from);
    path.cubicTo(from + QPointF(aside, bend), to - QPointF(-aside, bend), to);
    return path;
}

double HeadGraph::lineWidth(const Edge& edge) const {
    const double share = largest_ > 0.0 ? std::max(0.0, edge.weight / largest_) : 0.0;
    return kThinnest + share * (kWidest - kThinnest);
}

QPointF HeadGraph::middleOf(int edge) const {
    return line(edges_[edge]).pointAtPercent(0.5);
}

int HeadGraph::edgeAt(QPointF position) const {
    const auto hit = [&](const Edge& edge) {
        QPainterPathStroker stroker;
        stroker.setWidth(lineWidth(edge) + kLineGrip);
        return stroker.createStroke(line(edge)).contains(position);
    };
    if (current_ >= 0 && hit(edges_[current_]))
        return current_;
    for (qsizetype i = 0; i < edges_.size(); ++i)
        if (hit(edges_[i]))
            return static_cast<int>(i);
    return -1;
}

bool HeadGraph::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int edge = edgeAt(help->pos());
    if (const Node* node = nodeAt(help->pos()))
        QToolTip::showText(help->globalPos(), asTip(node->text), this);
    else if (edge >= 0)
        QToolTip::showText(help->globalPos(), asTip(edges_[edge].text), this);
    else
        QToolTip::hideText();
    return true;
}

void HeadGraph::mousePressEvent(QMouseEvent* event) {
    const int edge = event->button() == Qt::LeftButton ? edgeAt(event->position()) : -1;
    if (edge >= 0)
        emit edgeClicked(edge);
    else
        QWidget::mousePressEvent(event);
}

void HeadGraph::paintEvent(QPaintEvent*) {
    if (rows_ == 0 || columns_ == 0)
        return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), palette().base());
    const QColor base = palette().color(QPalette::Base);
    QColor quiet = blend(base, palette().color(QPalette::Text), 0.45);
    quiet.setAlphaF(0.65f);
    for (qsizetype i = edges_.size(); i-- > 0;)
        if (i != current_)
            paintEdge(painter, edges_[i], quiet);
    if (current_ >= 0)
        paintEdge(painter, edges_[current_], palette().color(QPalette::Highlight));
    paintNodes(painter);
    paintNumbers(painter);
}

void HeadGraph::paintEdge(QPainter& painter, const Edge& edge, const QColor& colour) const {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, lineWidth(edge), Qt::SolidLine, Qt::RoundCap));
    painter.drawPath(line(edge));
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (const QPoint head : {edge.from, edge.to})
        painter.drawEllipse(centre(head), kDot, kDot);
}

void HeadGraph::paintNodes(QPainter& painter) const {
    const QColor dot =
        blend(palette().color(QPalette::Base), palette().color(QPalette::Text), 0.55);
    for (int row = 0; row < rows_; ++row)
        for (int column = 0; column < columns_; ++column) {
            const qsizetype index = qsizetype{row} * columns_ + column;
            if (index < nodes_.size() && !nodes_[index].letters.isEmpty()) {
                paintBadge(painter, {column, row}, nodes_[index]);
                continue;
            }
            painter.setPen(Qt::NoPen);
            painter.setBrush(dot);
            painter.drawEllipse(centre({column, row}), kDot / 2.0, kDot / 2.0);
        }
}

void HeadGraph::paintBadge(QPainter& painter, QPoint head, const Node& node) const {
    const double side = badgeSide();
    QRectF square(0.0, 0.0, side, side);
    square.moveCenter(centre(head));
    const bool is_end =
        current_ >= 0 && (edges_[current_].from == head || edges_[current_].to == head);
    painter.setPen(is_end ? QPen(palette().color(QPalette::Highlight), 2.0)
                          : QPen(palette().color(QPalette::Base), 1.0));
    painter.setBrush(node.colour);
    painter.drawRoundedRect(square, side / 4.0, side / 4.0);
    if (side < kSideForLetter)
        return;
    QFont letter = font();
    letter.setBold(true);
    letter.setPixelSize(static_cast<int>(0.7 * side));
    painter.setFont(letter);
    painter.setPen(readableOn(node.colour));
    painter.drawText(square, Qt::AlignCenter, node.letters.left(1));
    painter.setFont(font());
}

void HeadGraph::paintNumbers(QPainter& painter) const {
    painter.setPen(blend(palette().color(QPalette::Base), palette().color(QPalette::Text), 0.65));
    const double line = painter.fontMetrics().height();
    const int row_step = nodeLabelStep(centre({0, 1}).y() - centre({0, 0}).y(), line);
    for (int row = 0; row < rows_; row += row_step)
        painter.drawText(QRectF(0.0, centre({0, row}).y() - line / 2.0, kGraphLabels, line),
                         Qt::AlignCenter, QStringLiteral("L%1").arg(row));
    const int column_step = nodeLabelStep(centre({1, 0}).x() - centre({0, 0}).x(), 1.8 * line);
    for (int column = 0; column < columns_; column += column_step)
        painter.drawText(
            QRectF(centre({column, 0}).x() - kGraphLabels, 2.0, 2.0 * kGraphLabels, line),
            Qt::AlignCenter, QStringLiteral("H%1").arg(column));
}

} // namespace headscope::ui
