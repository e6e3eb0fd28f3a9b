#pragma once

#include "ui/widgets/plot/point_plot.h"

#include <QColor>
#include <QPointF>
#include <QString>
#include <QVector>

#include <cmath>
#include <optional>

namespace headscope::ui {

class ScatterLayer;

struct ScatterPoint {
    double x = 0.0; ///< NaN here or in y: not drawn
    double y = 0.0;
    QString letter; ///< in the dot; empty: a small dot
    QColor colour;  ///< of the dot; invalid: quiet
    QString text;   ///< shown under the pointer, and read by a screen reader

    bool isDefined() const { return std::isfinite(x) && std::isfinite(y); }
};

struct ScatterContent {
    QVector<ScatterPoint> points;
    QString x_name;
    QString y_name;
    double x_threshold = 0.0; ///< thin lines
    double y_threshold = 0.0;
};

/// Points by two values, one of them selected. The axes go from 0 to 1, or to the values beyond.
/// Hovering names a point, a click chooses it; the wheel zooms, dragging pans, a double click shows
/// all. Keyboard: ← → go to the neighbour by x, ↑ ↓ by y; + − 0 zoom around the selected point.
class ScatterPlot : public PointPlot {
    Q_OBJECT

public:
    explicit ScatterPlot(QWidget* parent = nullptr);

    /// Keeps the zoom while the axes stay the same.
    void setContent(ScatterContent content);
    const ScatterContent& content() const { return content_; }

    /// Does not emit `chosen`. Points are counted from 0; −1: none.
    void setSelected(int point);
    int selected() const { return selected_; }
    int hovered() const { return hovered_; } ///< −1: none
    /// Where a point is drawn, in widget coordinates.
    QPoint placeOf(int point) const;

    QSize sizeHint() const override { return {560, 480}; }

signals:
    /// The user chose another point.
    void chosen(int point);

protected:
    Range allAcross() const override;
    Range allUp() const override;
    std::optional<QPointF> chosenPoint() const override;
    void applyTheme() override;
    void describe() override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int pointAt(QPointF position) const;
    void hover(std::optional<QPointF> position);
    void finishClick(QPointF position);
    void choose(int point);
    void chooseNeighbour(double ScatterPoint::*along, bool forwards);

    ScatterLayer* dots_ = nullptr;
    ScatterContent content_;
    int selected_ = -1;
    int hovered_ = -1;
    std::optional<QPointF> pressed_;
};

} // namespace headscope::ui
