#pragma once

#include "ui/widgets/mosaic/grid_choice.h"

#include <QRect>
#include <QString>
#include <QVector>

#include <optional>

class QWidget;

namespace headscope::ui {

/// What a widget that paints cells tells a screen reader of them: a table, or a list, which has one
/// column. The second base of such a widget, beside QWidget: it dies before the QWidget does, so
/// that a cast from the dying widget finds nothing. GUI thread.
class PaintedCells {
public:
    PaintedCells();
    virtual ~PaintedCells() = default;
    PaintedCells(const PaintedCells&) = delete;
    PaintedCells& operator=(const PaintedCells&) = delete;

    virtual bool isList() const { return false; }
    virtual int cellRows() const = 0;
    virtual int cellColumns() const = 0;
    virtual QString rowName(int row) const = 0;       ///< "layer 4"
    virtual QString columnName(int column) const = 0; ///< "head 1"
    /// All that is to be said of it, plain text: "layer 4, head 1, induction 0.59, ablated".
    virtual QString cellName(GridCell cell) const = 0;
    /// What is said on request, plain text.
    virtual QString cellDetails(GridCell cell) const = 0;
    /// In coordinates of the widget.
    virtual QRect cellArea(GridCell cell) const = 0;
    virtual std::optional<GridCell> cellUnder(QPoint position) const = 0;

    /// The one that keys act on.
    virtual std::optional<GridCell> currentCell() const = 0;
    virtual QVector<GridCell> markedCells() const = 0;
    virtual bool isMarked(GridCell cell) const { return markedCells().contains(cell); }
    virtual bool canBeChosen(GridCell cell) const = 0;
    /// As a click does.
    virtual void chooseCell(GridCell cell) = 0;

    bool hasCell(GridCell cell) const;
};

/// Tells screen readers that the cells of this widget say something else, or, `resized`, that there
/// are others. As the others here it does nothing while nobody reads.
void tellCellsChanged(QWidget& widget, bool resized);

/// Tells them that another cell is the current one.
void tellCurrentCell(QWidget& widget);

/// Tells them where in the widget the focus is, once it has come.
void tellFocusLater(QWidget& widget);

} // namespace headscope::ui
