#pragma once

#include "ui/widgets/mosaic/grid_choice.h"

#include <QRect>
#include <QString>
#include <QVector>

#include <functional>
#include <optional>

class QAccessibleEvent;
class QWidget;

namespace headscope::ui {

/// Whether a screen reader is there. As the others here, on the GUI thread.
bool someoneReads();

/// Hands it an event.
void tellReaders(QAccessibleEvent& event);

using ReaderStandIn = std::function<void(QAccessibleEvent&)>;
/// Takes the place of screen readers, which no offscreen platform lets in; null gives it back.
void setReaderStandIn(ReaderStandIn stand_in);

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

/// What a widget that paints one value tells a screen reader of it: a slider, or a bar where the
/// user cannot move it. A second base as PaintedCells is. GUI thread.
class PaintedValue {
public:
    PaintedValue();
    virtual ~PaintedValue() = default;
    PaintedValue(const PaintedValue&) = delete;
    PaintedValue& operator=(const PaintedValue&) = delete;

    virtual double shownValue() const = 0; ///< 0..1; NaN: not defined
    virtual QString valueText() const = 0; ///< "0.59, threshold 0.40"
    virtual double valueStep() const = 0;
    virtual bool canBeMoved() const = 0;
    /// As the user would; only where they can.
    virtual void moveValue(double value) = 0;
};

/// Tells screen readers that it is another; does nothing while nobody reads.
void tellValueChanged(QWidget& widget);

/// A widget that paints a picture of numbers, with no part that a screen reader could go to: its
/// description says what is shown, or which point is chosen. A second base as PaintedCells is.
class PaintedChart {
public:
    PaintedChart();
    virtual ~PaintedChart() = default;
    PaintedChart(const PaintedChart&) = delete;
    PaintedChart& operator=(const PaintedChart&) = delete;
};

} // namespace headscope::ui
