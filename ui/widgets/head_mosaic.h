#pragma once

#include "ui/markup/markup.h"
#include "ui/widgets/accessible/painted.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/mosaic/grid_choice.h"

#include <QColor>
#include <QImage>
#include <QString>
#include <QVector>
#include <QWidget>

#include <optional>

class QHelpEvent;

namespace headscope::ui {

class MosaicLayout;

/// What is known of ablating the head of a cell.
enum class EffectMark {
    Dot,  ///< the model needs the head
    Bar,  ///< it does better without it
    Ring, ///< neither was found
};

/// One cell of the grid of heads.
struct MosaicCell {
    QString letters;                ///< of the types, strongest first ("I", "PS"); empty: none
    QString value;                  ///< shown in place of letters when not empty: ".62"
    bool bold = false;              ///< the value
    QString name;                   ///< "H5", where the numbers of columns do not name their cells
    QColor colour;                  ///< of the strongest type; invalid: none
    double strength = 0.0;          ///< 0..1, how strongly the colour shows
    ChipLook look = ChipLook::Full; ///< of the colour
    Markup tooltip;
    QString spoken;       ///< what it shows, for screen readers: "induction 0.59"
    bool ablated = false; ///< struck through
    /// No head is here, because it was removed with its weights; nothing can be done with it.
    bool removed = false;
    bool faded = false; ///< the thumbnail: not what was asked for, or no longer
    std::optional<EffectMark> effect = std::nullopt;
    QString effect_words; ///< the same for screen readers: "Needed"
    QImage thumbnail;     ///< shown in place of letters when not null
};

/// Rows × columns of cells with numbered rows and columns, one of them selected, and perhaps others
/// chosen with it: by Ctrl+click one by one, by Shift+click, Shift+arrow or dragging as a
/// rectangle. Columns of one group (a shared KV head) sit together with a bracket above. Keyboard:
/// arrows move, Home/End go to the ends of the row and PageUp/PageDown to the ends of the column;
/// Delete and Space ask to toggle, Return activates. Cells grow and shrink with the widget between
/// two sizes; small ones show their colour alone, and the one under the pointer under a lens.
/// Ctrl+wheel makes cells larger than fit, for which it should be in a QScrollArea with
/// widgetResizable.
class HeadMosaic : public QWidget, public PaintedCells {
    Q_OBJECT

public:
    explicit HeadMosaic(QWidget* parent = nullptr);

    /// row-major cells; `columns_per_group` 1: no groups.
    void setCells(int rows, int columns, int columns_per_group, QVector<MosaicCell> cells);
    int rows() const { return rows_; }
    int columns() const { return columns_; }
    const MosaicCell& cell(int row, int column) const;

    /// Names of the axes, "layer" and "head" unless set.
    void setAxisNames(const QString& row_name, const QString& column_name);
    /// Unset where every cell has a name of its own.
    void setColumnNumbers(bool shown);
    /// Shown in the middle when there are no rows.
    void setEmptyText(const QString& text);
    /// Side of a cell in pixels, 2 to 44 unless set; thumbnails want larger ones.
    void setCellSizeRange(int smallest, int largest);

    /// And no other. Does not emit `selected`. A cell outside the grid is ignored.
    void setSelected(int row, int column);
    int selectedRow() const { return choice_.current().row; }
    int selectedColumn() const { return choice_.current().column; }
    /// These cells; `current`, one of them, is the selected one. Several have a ring each, of
    /// headColour() in this order. Emits nothing.
    void setChosen(const QVector<GridCell>& cells, GridCell current);
    const QVector<GridCell>& chosenCells() const { return choice_.cells(); }

    /// A cell that the pointer is on in another view has a ring; none: none has.
    void setPointed(std::optional<GridCell> cell);
    std::optional<GridCell> pointed() const { return pointed_; }

    QRect cellRect(int row, int column) const;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The user chose another cell, or this one alone.
    void selected(int row, int column);
    /// The user chose several cells: chosenCells().
    void severalChosen();
    /// Double click or Return.
    void activated(int row, int column);
    void toggleRequested(int row, int column);
    void contextMenuRequested(int row, int column, QPoint global);
    /// Cells have another size, and this one should stay in sight.
    void zoomed(int row, int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    MosaicLayout layoutNow() const;
    MosaicLayout layoutFilling(QSize room) const;
    QString nameOf(GridCell at) const;
    std::optional<QPoint> cellAt(QPoint position) const; ///< (column, row)
    std::optional<QPoint> headCellAt(QPoint position) const;
    bool showToolTip(const QHelpEvent& event);
    bool contains(GridCell cell) const;
    /// Takes what the user chose, but for cells without a head, and tells it.
    void choose(GridChoice choice);
    void chooseOnly(GridCell cell);
    /// The first cell from here on, in these steps, that holds a head, or the rectangle to it; none
    /// changes nothing.
    void chooseFrom(GridCell cell, int rows_on, int columns_on, bool extend);
    bool moveByKey(const QKeyEvent& event);
    void describe();

    int cellRows() const override { return rows_; }
    int cellColumns() const override { return columns_; }
    QString rowName(int row) const override;
    QString columnName(int column) const override;
    QString cellName(GridCell at) const override;
    QString cellDetails(GridCell at) const override;
    QRect cellArea(GridCell at) const override { return cellRect(at.row, at.column); }
    std::optional<GridCell> cellUnder(QPoint position) const override;
    std::optional<GridCell> currentCell() const override;
    QVector<GridCell> markedCells() const override;
    bool canBeChosen(GridCell at) const override { return !cell(at.row, at.column).removed; }
    void chooseCell(GridCell at) override { chooseOnly(at); }

    int rows_ = 0;
    int columns_ = 0;
    int columns_per_group_ = 1;
    QVector<MosaicCell> cells_;
    QString row_name_;
    QString column_name_;
    bool column_numbers_ = true;
    QString empty_text_;
    int smallest_side_ = 2;
    int largest_side_ = 44;
    std::optional<int> zoomed_side_; ///< none: cells fit into the widget
    GridChoice choice_;
    std::optional<QPoint> hovered_;
    std::optional<GridCell> pointed_;
};

} // namespace headscope::ui
