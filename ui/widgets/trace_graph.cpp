#include "ui/widgets/trace_graph.h"

#include "ui/markup/markup.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/figure/figure_file.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMap>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPathStroker>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <utility>

namespace headscope::ui {
namespace {

constexpr double kNodeWidth = 62.0;
constexpr double kNodeHeight = 20.0;
constexpr double kNodeGap = 10.0;
constexpr double kRowHeight = 32.0; ///< at least
constexpr double kSideLabels = 74.0;
constexpr double kBottomLabels = 26.0;
constexpr double kTopLegend = 24.0;
constexpr double kInset = 8.0;
constexpr double kThinLine = 1.2;
constexpr double kWideLine = 7.0;
constexpr double kLineGrip = 6.0; ///< how much wider than drawn a line is for the pointer

constexpr int kPictureSide = 150;
constexpr int kTipWidth = 2 * kPictureSide + 16;

Markup tipOf(const QString& text, std::initializer_list<QImage> pictures) {
    Markup shown;
    for (const QImage& each : pictures)
        if (!each.isNull())
            shown += markup(u"%1 ", picture(each.scaled(kPictureSide, kPictureSide)));
    return markup(u"<table width='%1'><tr><td>%2</td></tr><tr><td>%3</td></tr></table>",
                  QString::number(kTipWidth), text, shown);
}

} // namespace

TraceGraph::TraceGraph(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void TraceGraph::setContent(TraceContent content) {
    content_ = std::move(content);
    pictures_.clear();
    width_of_ = QList<int>(content_.columns.size(), 1);
    slot_.clear();
    QMap<std::pair<int, int>, int> taken; // nodes that are in a cell already
    for (const TraceContent::Node& node : std::as_const(content_.nodes)) {
        const int slot = taken[{node.column, node.row}]++;
        slot_.append(slot);
        width_of_[node.column] = std::max(width_of_[node.column], slot + 1);
    }
    current_ = content_.nodes.isEmpty() ? -1 : 0;
    hovered_ = -1;
    describe();
    updateGeometry();
    update();
}

void TraceGraph::describe() {
    setAccessibleDescription(current_ < 0 ? tr("Nothing is traced")
                                          : tr("%1 of %2: %3")
                                                .arg(current_ + 1)
                                                .arg(content_.nodes.size())
                                                .arg(content_.nodes[current_].tip));
}

QSize TraceGraph::sizeHint() const {
    return minimumSizeHint().expandedTo({420, 260});
}

QSize TraceGraph::minimumSizeHint() const {
    return {static_cast<int>(kSideLabels + kInset + slotCount() * (kNodeWidth + kNodeGap)),
            static_cast<int>(kTopLegend + kBottomLabels +
                             static_cast<double>(content_.rows.size()) * kRowHeight)};
}

/// In all columns, side by side.
int TraceGraph::slotCount() const {
    return std::accumulate(width_of_.begin(), width_of_.end(), 0);
}

double TraceGraph::slotWidth(QSizeF size) const {
    return (size.width() - kSideLabels - kInset) / std::max(1, slotCount());
}

double TraceGraph::middleOfRow(int row, QSizeF size) const {
    const double height = (size.height() - kTopLegend - kBottomLabels) /
                          std::max(1.0, static_cast<double>(content_.rows.size()));
    return size.height() - kBottomLabels - (row + 0.5) * height;
}

QRectF TraceGraph::place(int node, QSizeF size) const {
    const TraceContent::Node& at = content_.nodes[node];
    const int before = std::accumulate(width_of_.begin(), width_of_.begin() + at.column, 0);
    // Nodes of one cell are in the middle of their column.
    const auto together = static_cast<double>(
        std::ranges::count_if(content_.nodes, [&](const TraceContent::Node& other) {
            return other.column == at.column && other.row == at.row;
        }));
    const double spare = (width_of_[at.column] - together) / 2.0;
    const double x = kSideLabels + (before + spare + slot_[node] + 0.5) * slotWidth(size);
    QRectF rect(0.0, 0.0, kNodeWidth, kNodeHeight);
    rect.moveCenter({x, middleOfRow(at.row, size)});
    return rect;
}

QRectF TraceGraph::nodeRect(int node) const {
    return place(node, size());
}

QPainterPath TraceGraph::line(const TraceContent::Edge& edge, QSizeF size) const {
    const QRectF from = place(edge.from, size);
    const QRectF to = place(edge.to, size);
    // Lines of one kind leave and arrive beside those of another.
    const double aside = (edge.kind - 1.0) * 12.0;
    const QPointF begin(from.center().x() + aside, from.top());
    const QPointF end(to.center().x() + aside, to.bottom());
    const double bend = 0.5 * (begin.y() - end.y());
    // Straight up it would pass behind the nodes between, as if it were theirs.
    const int passed = content_.nodes[edge.to].row - content_.nodes[edge.from].row - 1;
    const bool straight = std::abs(begin.x() - end.x()) < kNodeWidth && passed > 0;
    const double bow =
        straight ? (edge.kind == 0 ? -1.0 : 1.0) * (0.8 * kNodeWidth + 10.0 * passed) : 0.0;
    QPainterPath path(begin);
    path.cubicTo(begin + QPointF(bow, -bend), end + QPointF(bow, bend), end);
    return path;
}

TraceGraph::Ink TraceGraph::screenInk() const {
    return {palette().color(QPalette::Base), palette().color(QPalette::Text),
            palette().color(QPalette::Highlight), palette().color(QPalette::HighlightedText)};
}

int TraceGraph::nodeAt(QPointF position) const {
    for (int node = 0; node < content_.nodes.size(); ++node)
        if (nodeRect(node).contains(position))
            return node;
    return -1;
}

int TraceGraph::edgeAt(QPointF position) const {
    for (int edge = 0; edge < content_.edges.size(); ++edge) {
        QPainterPathStroker stroker;
        stroker.setWidth(kThinLine + kLineGrip);
        if (stroker.createStroke(line(content_.edges[edge], size())).contains(position))
            return edge;
    }
    return -1;
}

void TraceGraph::setPictures(QList<QImage> pictures) {
    pictures_ = std::move(pictures);
}

Markup TraceGraph::nodeTip(int node) const {
    return tipOf(content_.nodes[node].tip, {pictures_.value(node)});
}

Markup TraceGraph::edgeTip(int edge) const {
    const TraceContent::Edge& shown = content_.edges[edge];
    return tipOf(shown.tip, {pictures_.value(shown.from), pictures_.value(shown.to)});
}

bool TraceGraph::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int node = nodeAt(help->pos());
    const int edge = node < 0 ? edgeAt(help->pos()) : -1;
    if (node >= 0)
        QToolTip::showText(help->globalPos(), asTip(nodeTip(node)), this);
    else if (edge >= 0)
        QToolTip::showText(help->globalPos(), asTip(edgeTip(edge)), this);
    else
        QToolTip::hideText();
    return true;
}

void TraceGraph::mouseMoveEvent(QMouseEvent* event) {
    const int node = nodeAt(event->position());
    if (node == hovered_)
        return;
    setCursor(node >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
    setHovered(node);
}

void TraceGraph::setHovered(int node) {
    hovered_ = node;
    update();
    emit nodePointedAt(node);
}

void TraceGraph::leaveEvent(QEvent*) {
    setHovered(-1);
}

void TraceGraph::mousePressEvent(QMouseEvent* event) {
    const int node = event->button() == Qt::LeftButton ? nodeAt(event->position()) : -1;
    if (node < 0)
        return QWidget::mousePressEvent(event);
    setCurrent(node);
    emit nodeClicked(node);
}

void TraceGraph::mouseDoubleClickEvent(QMouseEvent* event) {
    const int node = event->button() == Qt::LeftButton ? nodeAt(event->position()) : -1;
    if (node >= 0)
        emit nodeActivated(node);
}

void TraceGraph::keyPressEvent(QKeyEvent* event) {
    const auto nodes = static_cast<int>(content_.nodes.size());
    if (nodes == 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Down:
        return setCurrent(std::min(current_ + 1, nodes - 1));
    case Qt::Key_Left:
    case Qt::Key_Up:
        return setCurrent(std::max(current_ - 1, 0));
    case Qt::Key_Space:
        emit nodeClicked(current_);
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        emit nodeActivated(current_);
        return;
    default:
        QWidget::keyPressEvent(event);
    }
}

void TraceGraph::setCurrent(int node) {
    current_ = node;
    describe();
    update();
    emit nodePointedAt(node);
}

void TraceGraph::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), palette().base());
    draw(painter, screenInk(), size(), hovered_ >= 0 ? hovered_ : hasFocus() ? current_ : -1);
}

void TraceGraph::draw(QPainter& painter, const Ink& ink, QSizeF size, int lit) const {
    if (content_.nodes.isEmpty())
        return;
    drawAxes(painter, ink, size);
    for (const bool faded : {true, false}) // what is lit is on top
        for (const TraceContent::Edge& edge : content_.edges)
            if ((lit >= 0 && edge.from != lit && edge.to != lit) == faded)
                drawEdge(painter, ink, edge, size, faded);
    for (int node = 0; node < content_.nodes.size(); ++node)
        drawNode(painter, ink, node, size, node == lit);
    drawLegend(painter, ink);
}

void TraceGraph::drawAxes(QPainter& painter, const Ink& ink, QSizeF size) const {
    for (int row = 0; row < content_.rows.size(); ++row) {
        const double y = middleOfRow(row, size);
        painter.setPen(QPen(blend(ink.base, ink.text, 0.12), 1.0));
        painter.drawLine(QPointF(kSideLabels, y), QPointF(size.width() - kInset, y));
        painter.setPen(blend(ink.base, ink.text, 0.65));
        painter.drawText(
            QRectF(kInset, y - kNodeHeight, kSideLabels - 2.0 * kInset, 2.0 * kNodeHeight),
            Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, content_.rows[row]);
    }
    double x = kSideLabels;
    for (int column = 0; column < content_.columns.size(); ++column) {
        const double width = width_of_[column] * slotWidth(size);
        const QRectF label(x, size.height() - kBottomLabels, width, kBottomLabels);
        painter.setPen(ink.text);
        painter.drawText(label.adjusted(2.0, 0.0, -2.0, 0.0), Qt::AlignCenter,
                         painter.fontMetrics().elidedText(content_.columns[column], Qt::ElideRight,
                                                          static_cast<int>(width - 4.0)));
        if (column > 0) {
            painter.setPen(QPen(blend(ink.base, ink.text, 0.12), 1.0, Qt::DotLine));
            painter.drawLine(QPointF(x, kTopLegend), QPointF(x, size.height() - kBottomLabels));
        }
        x += width;
    }
}

void TraceGraph::drawLegend(QPainter& painter, const Ink& ink) const {
    double x = kSideLabels;
    const double y = kTopLegend / 2.0;
    const auto entry = [&](const QPen& pen, const QString& text) {
        painter.setPen(pen);
        painter.drawLine(QPointF(x, y), QPointF(x + 18.0, y));
        x += 23.0;
        const double width = painter.fontMetrics().horizontalAdvance(text);
        painter.setPen(ink.text);
        painter.drawText(QRectF(x, 0.0, width + 2.0, kTopLegend), Qt::AlignVCenter, text);
        x += width + 14.0;
    };
    for (int kind = 0; kind < content_.kinds.size(); ++kind)
        entry(QPen(lineColour(kind, ink.base), 3.0), content_.kinds[kind]);
    const bool has_against = std::ranges::any_of(
        content_.edges, [](const TraceContent::Edge& edge) { return edge.share < 0.0; });
    if (has_against)
        entry(QPen(ink.text, 1.5, Qt::DashLine), tr("against"));
}

void TraceGraph::drawEdge(QPainter& painter, const Ink& ink, const TraceContent::Edge& edge,
                          QSizeF size, bool faded) const {
    QColor colour = lineColour(edge.kind, ink.base);
    colour.setAlphaF(faded ? 0.2f : 0.85f);
    const double width = kThinLine + std::min(1.0, std::abs(edge.share)) * (kWideLine - kThinLine);
    QPen pen(colour, width, edge.share < 0.0 ? Qt::DashLine : Qt::SolidLine, Qt::FlatCap);
    if (edge.share < 0.0)
        pen.setDashPattern({std::max(1.0, 6.0 / width), std::max(0.7, 4.0 / width)});
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    painter.drawPath(line(edge, size));
}

void TraceGraph::drawNode(QPainter& painter, const Ink& ink, int node, QSizeF size,
                          bool lit) const {
    const TraceContent::Node& shown = content_.nodes[node];
    const QRectF rect = place(node, size);
    painter.setPen(lit ? QPen(ink.accent, 2.0)
                       : QPen(blend(ink.base, ink.text, 0.5), 1.0,
                              shown.can_grow ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(shown.is_root ? ink.accent : blend(ink.base, ink.text, 0.08));
    painter.drawRoundedRect(rect, 5.0, 5.0);
    painter.setPen(shown.is_root ? ink.on_accent : ink.text);
    painter.drawText(rect.adjusted(3.0, 0.0, -3.0, 0.0), Qt::AlignCenter,
                     painter.fontMetrics().elidedText(shown.text, Qt::ElideRight,
                                                      static_cast<int>(rect.width() - 6.0)));
}

Result<void> TraceGraph::saveFigure(const QString& path) const {
    constexpr int kTitle = 28;
    const QSize graph = minimumSizeHint().expandedTo({720, 420});
    const QSize page = graph + QSize(0, kTitle);
    const Ink ink{Qt::white, Qt::black, QColor(0x1f, 0x5f, 0xa8), Qt::white};
    return savePaintedFigure(
        path, {page, content_.title, content_.note, font().family(), 2.0}, [&](QPainter& painter) {
            painter.fillRect(QRectF({}, QSizeF(page)), ink.base);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setFont(figureFont(font().family()));
            painter.setPen(ink.text);
            painter.drawText(QRectF(kInset, 0.0, graph.width() - 2.0 * kInset, kTitle),
                             Qt::AlignLeft | Qt::AlignVCenter, content_.title);
            painter.translate(0.0, kTitle);
            draw(painter, ink, graph, -1);
        });
}

} // namespace headscope::ui
