#pragma once

#include "core/base/result.h"
#include "ui/widgets/plot/point_plot.h"

#include <QPointF>
#include <QString>
#include <QVector>

#include <optional>

namespace headscope::ui {

class CurveMarks;

struct CurvePlotPoint {
    double x = 0.0;
    double y = 0.0;
    QString text; ///< shown under the pointer, and read by a screen reader
};

struct CurvePlotLine {
    QString name;
    /// Colour, dash and mark; from the eighth on the colours come again with dashes.
    int style = 0;
    QVector<CurvePlotPoint> points; ///< ascending x
};

/// Between what is lowest and what is highest at each x, with a line in the middle.
struct CurvePlotBand {
    QString name;
    QVector<double> x; ///< ascending; empty: no band
    QVector<double> low;
    QVector<double> middle;
    QVector<double> high;
};

struct CurvePlotContent {
    QVector<CurvePlotLine> lines;
    CurvePlotBand band;
    std::optional<double> level; ///< a horizontal line
    QString level_name;
    std::optional<double> limit; ///< another one, of dots
    QString limit_name;
    QString x_name;
    QString y_name;
    double x_most = 1.0; ///< the axis goes from 0 to here
    QString title;       ///< in exported figures
    QString note;        ///< one small line under exported figures
};

/// A point of a line, both counted from 0.
struct CurvePlotPlace {
    int line = 0;
    int point = 0;

    bool operator==(const CurvePlotPlace&) const = default;
};

/// Lines over a common axis, one point of which is chosen. Hovering names a point; a press chooses
/// it, and dragging goes along its line. The wheel zooms around the pointer, a double click shows
/// all. Keyboard: ← → go along the line, ↑ ↓ to the next line, Return takes the point, + − 0 zoom,
/// Escape while dragging gives the drag up.
class CurvePlot : public PointPlot {
    Q_OBJECT

public:
    explicit CurvePlot(QWidget* parent = nullptr);

    /// Keeps the zoom while the axes stay the same.
    void setContent(CurvePlotContent content);
    const CurvePlotContent& content() const { return content_; }

    /// Does not emit `chosen`.
    void setChosen(std::optional<CurvePlotPlace> place);
    std::optional<CurvePlotPlace> chosenPlace() const { return chosen_; }
    std::optional<CurvePlotPlace> hoveredPlace() const { return hovered_; }
    /// Where a point is drawn, in widget coordinates.
    QPoint placeOf(CurvePlotPlace place) const;

    /// Writes all lines, by extension: .svg .pdf .png; whole or not at all, the same bytes for the
    /// same picture. Light colours whatever the window's theme.
    Result<void> saveFigure(const QString& path, QSize size, double png_scale = 2.0) const;

    QSize sizeHint() const override { return {560, 320}; }

signals:
    void hoverChanged();
    /// The user went to another point with the arrow keys.
    void chosen(CurvePlotPlace place);
    /// The user pressed on a point or dragged to it: `first` of a press and all that follows it.
    void taken(CurvePlotPlace place, bool first);
    /// The user gave a drag up.
    void dragCancelled();

protected:
    Range allAcross() const override;
    Range allUp() const override;
    std::optional<QPointF> chosenPoint() const override;
    void applyTheme() override;
    void describe() override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    bool has(CurvePlotPlace place) const;
    bool hasPoints() const;
    const CurvePlotPoint& at(CurvePlotPlace place) const;
    std::optional<CurvePlotPlace> nearest(QPointF position) const;
    std::optional<CurvePlotPlace> nearestOnLine(int line, double x) const;
    void hover(std::optional<QPointF> position);
    void press(QPointF position);
    void dragTo(QPointF position);
    void stepAlong(int points);
    void stepAcross(int lines);
    void choose(std::optional<CurvePlotPlace> place);

    CurveMarks* marks_ = nullptr;
    CurvePlotContent content_;
    std::optional<CurvePlotPlace> chosen_;
    std::optional<CurvePlotPlace> hovered_;
    std::optional<int> dragged_line_;
};

} // namespace headscope::ui
