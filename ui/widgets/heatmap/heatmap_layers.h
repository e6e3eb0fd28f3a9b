#pragma once

#include "ui/widgets/heatmap/heatmap_plot.h"

namespace headscope::ui {

/// The cells, the lines between them and, where there is room, their numbers.
class CellLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit CellLayer(HeatmapPlot* plot)
        : QCPLayerable(plot, QStringLiteral("main")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    QRect clipRect() const override;
    void draw(QCPPainter* painter) override;

private:
    void drawTile(QCPPainter& painter, const CellTile& tile) const;
    void drawRectangles(QCPPainter& painter) const;
    void drawLines(QCPPainter& painter) const;
    void drawNumbers(QCPPainter& painter) const;

    HeatmapPlot* plot_;
};

/// Title, names of the axes and note.
class TextLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit TextLayer(HeatmapPlot* plot)
        : QCPLayerable(plot, QStringLiteral("axes")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    HeatmapPlot* plot_;
};

/// What the user points at: crosshair, labels of its row and column, locked row, focus.
class MarkLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit MarkLayer(HeatmapPlot* plot)
        : QCPLayerable(plot, QStringLiteral("overlay")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    void drawLockedRow(QCPPainter& painter, std::size_t row) const;
    void drawCrosshair(QCPPainter& painter, const HeatmapCell& cell) const;
    void drawRowLabel(QCPPainter& painter, std::size_t row) const;
    void drawColumnLabel(QCPPainter& painter, std::size_t column) const;

    HeatmapPlot* plot_;
};

/// The grey bars of the rows, which replace a hidden first column: in its place where its cells
/// have room, and else in the margin before it.
class BarLayer : public QCPLayerable {
    Q_OBJECT

public:
    explicit BarLayer(HeatmapPlot* plot)
        : QCPLayerable(plot, QStringLiteral("main")), plot_(plot) {}

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override;
    void draw(QCPPainter* painter) override;

private:
    HeatmapPlot* plot_;
};

} // namespace headscope::ui
