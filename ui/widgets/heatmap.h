#pragma once

#include "core/base/result.h"
#include "ui/widgets/accessible/painted.h"
#include "ui/widgets/cell_source.h"
#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap/cell_outline.h"
#include "ui/widgets/heatmap_cells.h"

#include <QColor>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

namespace headscope::ui {

class HeatmapPlot;

/// Cells with a line around them.
struct HeatmapOutline {
    MarkedColumns columns; ///< asked for the rows in sight at every drawing; empty: no outline
    QColor colour;
};

/// What a heatmap shows: cells [query, key] with a label per row and column. NaN is "not visible"
/// (the masked half of a causal pattern) and shows the neutral background.
struct HeatmapContent {
    std::shared_ptr<const CellSource> cells; ///< null: nothing to show
    QStringList row_labels;
    QStringList column_labels;
    QString title;       ///< drawn above the map and in exported figures
    QString row_axis;    ///< "query"
    QString column_axis; ///< "key"
    QString value_name;  ///< "attention", beside the colour scale
    QString note;        ///< one small line under exported figures: model, prompt, BOS
    HeatmapOutline outline;
    /// [row] 0..1, a grey bar before each row: what is not among the cells, such as a hidden
    /// column. Empty: none.
    std::vector<float> bars;
    bool bars_beside = false; ///< left of the map, since the first column is shown
};

/// One matrix as a heatmap with labelled axes and a colour scale. Knows nothing of models. What is
/// in sight of a large matrix is drawn from its overview at once and sharpened by a worker, so that
/// panning and zooming never wait.
/// The wheel zooms around the pointer, dragging pans, a double click resets; hovering reports the
/// cell, a click locks the row so that it can be read at leisure. Keyboard: + − 0 zoom, Shift+Up
/// and Shift+Down move the locked row, Escape unlocks; all other keys go to the parent.
class Heatmap : public QWidget, public PaintedCells {
    Q_OBJECT

public:
    explicit Heatmap(QWidget* parent = nullptr);
    ~Heatmap() override;

    /// Keeps zoom and locked row when the size is unchanged. Asks for the overview of the cells.
    void setContent(HeatmapContent content);
    const HeatmapContent& content() const;
    /// Shows `message` in the middle and no map.
    void setEmpty(const QString& message);

    void setColourMap(ColourMap map);
    ColourMap colourMap() const;
    /// Fixed value range; nothing: from 0 to the largest value, or for the diverging map symmetric
    /// around 0.
    void setRange(std::optional<std::pair<double, double>> range);

    /// How the colours go along the range.
    void setScale(ValueScale scale);

    std::optional<std::size_t> lockedRow() const;
    void lockRow(std::optional<std::size_t> row);
    /// The one under the pointer.
    std::optional<HeatmapCell> hoveredCell() const;
    void resetZoom();
    /// Visible cells [first, last] on each axis: what zoom and pan left in sight. All 0 when empty.
    struct VisibleCells {
        std::size_t first_row, last_row, first_column, last_column;
    };
    VisibleCells visibleCells() const;
    /// Where the middle of a cell is drawn, in widget coordinates.
    QPoint cellCentre(std::size_t row, std::size_t column) const;

    /// Writes what is shown, by extension: .svg .pdf .png; whole or not at all, the same bytes for
    /// the same picture. Text stays text in SVG and PDF. Light colours whatever the window's theme.
    Result<void> saveFigure(const QString& path, QSize size, double png_scale = 2.0) const;

signals:
    /// Row and column under the pointer; again after new content came under a resting pointer.
    void cellHovered(std::size_t row, std::size_t column);
    void hoverLeft();
    /// Emitted by a click, which also locks the row.
    void cellClicked(std::size_t row, std::size_t column);
    /// Emitted on every change, also when new content of another size unlocked the row.
    void rowLocked(std::optional<std::size_t> row);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void sharpen();
    void updateHover();
    void finishClick(QPointF position);
    void lockNeighbour(int step);

    const HeatmapPlot& plot() const;
    int cellRows() const override;
    int cellColumns() const override;
    QString rowName(int row) const override;
    QString columnName(int column) const override;
    QString cellName(GridCell at) const override;
    QString cellDetails(GridCell) const override { return {}; }
    QRect cellArea(GridCell at) const override;
    std::optional<GridCell> cellUnder(QPoint position) const override;
    /// The first of the locked row.
    std::optional<GridCell> currentCell() const override;
    QVector<GridCell> markedCells() const override;
    bool isMarked(GridCell at) const override;
    bool canBeChosen(GridCell) const override { return true; }
    void chooseCell(GridCell at) override;

    class Private;
    std::unique_ptr<Private> d_;
};

} // namespace headscope::ui
