#pragma once

#include "ui/widgets/colours.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/heatmap/heatmap_layout.h"
#include "ui/widgets/heatmap_cells.h"

#include <QFont>
#include <QSharedPointer>
#include <qcustomplot.h>

#include <memory>
#include <optional>

namespace headscope::ui {

/// Pixels of an image in a vector figure for each of the figure's own.
constexpr double kVectorScale = 2.0;

/// What the user points at; drawn over the map and never part of a figure.
struct HeatmapMarks {
    std::optional<HeatmapCell> hovered;
    std::optional<std::size_t> locked_row;
    bool focused = false;

    bool operator==(const HeatmapMarks&) const = default;
};

/// The drawing behind Heatmap, on screen and in figures: QCustomPlot's axes, zoom and colour scale
/// around cells painted straight from tensors.
class HeatmapPlot : public QCustomPlot {
    Q_OBJECT

public:
    explicit HeatmapPlot(QWidget* parent = nullptr);

    /// Shows everything when the number of rows or columns changed, and else what was in sight.
    void setContent(HeatmapContent content);
    const HeatmapContent& content() const { return content_; }
    bool isEmpty() const { return rows() == 0 || columns() == 0; }
    std::size_t rows() const { return content_.cells ? content_.cells->rows() : 0; }
    std::size_t columns() const { return content_.cells ? content_.cells->columns() : 0; }

    /// What would make the cells in sight as sharp as `scale` pixels of the device for each of the
    /// drawing can show; nothing when they are.
    std::optional<TileRequest> missingTile(double scale) const;
    /// Drawn over the overview until the cells change.
    void sharpen(std::shared_ptr<const CellTile> tile);
    const KnownCells& known() const { return known_; }

    void setColouring(ColourMap map, std::optional<std::pair<double, double>> range,
                      ValueScale value_scale = ValueScale::Linear);
    const CellColours& colours() const { return colours_; }
    void setTheme(const HeatmapTheme& theme, const QFont& text_font);
    const HeatmapTheme& theme() const { return theme_; }
    void setMarks(const HeatmapMarks& marks);
    const HeatmapMarks& marks() const { return marks_; }
    void setNoteShown(bool shown);

    /// Places everything for a drawing of this size.
    void layOut(QSize size);
    const HeatmapLayout& layout() const { return layout_; }
    QString rowLabel(std::size_t row) const; ///< shortened to the room there is
    QString columnLabel(std::size_t column) const;

    /// Cells in sight: x columns, y rows; fractions are cells cut by the edge.
    QRectF visibleArea() const;
    void setVisibleArea(const QRectF& area);
    void showAll();
    CellRange visibleRows() const; ///< those cut by the edge too
    CellRange visibleColumns() const;
    void zoom(double factor, QPointF around);
    std::optional<HeatmapCell> cellAt(QPointF position) const;
    QRectF cellRect(std::size_t row, std::size_t column) const;

    // QCustomPlot would ask for its present margins, and so could never shrink.
    QSize sizeHint() const override { return {560, 520}; }
    QSize minimumSizeHint() const override { return {200, 160}; }

signals:
    void visibleAreaChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setUpAxes();
    void setUpScale();
    void applyTheme();
    void updateColours();
    void updateTicks();
    void keepInside(QCPAxis* axis, const QCPRange& before);
    QString shortened(const QStringList& labels, std::size_t index) const;
    double scaleWidth(const QFont& label_font);

    HeatmapContent content_;
    KnownCells known_;
    ColourMap map_ = ColourMap::Viridis;
    std::optional<std::pair<double, double>> range_{{0.0, 1.0}};
    ValueScale value_scale_ = ValueScale::Linear;
    CellColours colours_;
    HeatmapTheme theme_;
    QFont font_;
    HeatmapMarks marks_;
    bool note_shown_ = false;

    LabelWidth row_label_width_;
    LabelWidth column_label_width_;
    HeatmapLayout layout_;
    QCPColorScale* scale_ = nullptr;
    QSharedPointer<QCPAxisTickerText> row_ticks_;
    QSharedPointer<QCPAxisTickerText> column_ticks_;
};

} // namespace headscope::ui
