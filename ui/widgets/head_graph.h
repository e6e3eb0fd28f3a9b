#pragma once

#include "ui/markup/markup.h"
#include "ui/widgets/accessible/painted.h"

#include <QColor>
#include <QList>
#include <QPainterPath>
#include <QPoint>
#include <QString>
#include <QWidget>

namespace headscope::ui {

/// Heads on a grid of layers × heads, each a dot or a badge, and weighted lines from heads to later
/// ones. Knows nothing of models. A click on a line reports it.
class HeadGraph : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    struct Node {
        QString letters; ///< on its badge, where there is room; none: a dot
        QColor colour;
        Markup text; ///< tooltip
    };
    struct Edge {
        QPoint from; ///< x: column, y: row
        QPoint to;
        double weight = 0.0; ///< the largest is drawn widest
        QString text;        ///< tooltip
    };

    explicit HeadGraph(QWidget* parent = nullptr);

    void setGrid(int rows, int columns);
    /// One per head, row by row, or none.
    void setNodes(QList<Node> nodes);
    /// Strongest first.
    void setEdges(QList<Edge> edges);
    /// The edge that is pointed out; −1: none.
    void setCurrent(int edge);
    int current() const { return current_; }
    /// A point on an edge's line, in widget coordinates: half way.
    QPointF middleOf(int edge) const;
    /// Where a head is drawn, in widget coordinates.
    QPointF centre(QPoint head) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void edgeClicked(int edge);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QSizeF cellSize() const;
    double badgeSide() const;
    /// Null: none is there.
    const Node* nodeAt(QPointF position) const;
    QPainterPath line(const Edge& edge) const;
    double lineWidth(const Edge& edge) const;
    /// The current edge or the strongest whose line is under the pointer, or −1.
    int edgeAt(QPointF position) const;
    void paintNodes(QPainter& painter) const;
    void paintBadge(QPainter& painter, QPoint head, const Node& node) const;
    void paintNumbers(QPainter& painter) const;
    void paintEdge(QPainter& painter, const Edge& edge, const QColor& colour) const;

    int rows_ = 0;
    int columns_ = 0;
    QList<Node> nodes_;
    QList<Edge> edges_;
    double largest_ = 0.0; ///< weight
    int current_ = -1;
};

} // namespace headscope::ui
