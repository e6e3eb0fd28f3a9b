#pragma once

#include "core/base/result.h"
#include "ui/markup/markup.h"
#include "ui/widgets/accessible/painted.h"

#include <QColor>
#include <QImage>
#include <QList>
#include <QPainterPath>
#include <QString>
#include <QStringList>
#include <QWidget>

namespace headscope::ui {

/// What a graph of parts shows. Knows nothing of models.
struct TraceContent {
    struct Node {
        int column = 0;
        int row = 0; ///< from the bottom up
        QString text;
        QString tip;
        bool is_root = false;
        bool can_grow = false; ///< more may lead to it than is shown
    };
    struct Edge {
        int from = 0; ///< index of the lower node
        int to = 0;
        int kind = 0;       ///< index in kinds
        double share = 0.0; ///< below 0: against; its magnitude is the width
        QString tip;
    };
    QStringList columns; ///< labels along the bottom
    QStringList rows;    ///< labels at the side, from the bottom up
    QStringList kinds;   ///< what lines of each colour mean
    QList<Node> nodes;
    QList<Edge> edges;
    QString title; ///< of figures
    QString note;
};

/// Nodes over the tokens at which they wrote and by the depth at which they did, and what flows
/// between them upwards.
class TraceGraph : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    explicit TraceGraph(QWidget* parent = nullptr);

    void setContent(TraceContent content);
    const TraceContent& content() const { return content_; }
    /// Pictures under the tips of the content's nodes, in their order; null: none.
    void setPictures(QList<QImage> pictures);
    /// The node that keys go from; −1: none.
    int current() const { return current_; }
    /// What the tip of a node, or of an edge with the pictures of both its ends, says.
    Markup nodeTip(int node) const;
    Markup edgeTip(int edge) const;
    /// Where a node is drawn, in widget coordinates.
    QRectF nodeRect(int node) const;

    /// Writes the picture with its legend.
    Result<void> saveFigure(const QString& path) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void nodeClicked(int node);   ///< or Space
    void nodeActivated(int node); ///< by a double click or Return
    void nodePointedAt(int node); ///< or reached by keys; −1: none

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    /// The colours of the screen, or of a figure, which is on white.
    struct Ink {
        QColor base;
        QColor text;
        QColor accent;
        QColor on_accent;
    };
    Ink screenInk() const;
    void draw(QPainter& painter, const Ink& ink, QSizeF size, int lit) const;
    void drawAxes(QPainter& painter, const Ink& ink, QSizeF size) const;
    void drawLegend(QPainter& painter, const Ink& ink) const;
    void drawEdge(QPainter& painter, const Ink& ink, const TraceContent::Edge& edge, QSizeF size,
                  bool faded) const;
    void drawNode(QPainter& painter, const Ink& ink, int node, QSizeF size, bool lit) const;
    int slotCount() const;
    double slotWidth(QSizeF size) const;
    double middleOfRow(int row, QSizeF size) const;
    QRectF place(int node, QSizeF size) const;
    QPainterPath line(const TraceContent::Edge& edge, QSizeF size) const;
    int nodeAt(QPointF position) const;
    int edgeAt(QPointF position) const;
    void setCurrent(int node);
    void setHovered(int node);
    void describe();

    TraceContent content_;
    QList<QImage> pictures_;
    QList<int> width_of_; ///< by column, how many nodes are side by side
    QList<int> slot_;     ///< by node, its place among them
    int current_ = -1;
    int hovered_ = -1;
};

} // namespace headscope::ui
