#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QColor>
#include <QString>
#include <QWidget>

namespace headscope::ui {

/// One score 0..1 as a bar with its baseline, interval and a threshold. One that is editable can be
/// dragged or moved with the arrow keys in steps of 0.01 (Page keys 0.1, Home and End to the ends).
class ScoreBar : public QWidget, public PaintedValue {
    Q_OBJECT
    Q_PROPERTY(double threshold READ threshold WRITE setThreshold USER true)

public:
    explicit ScoreBar(QWidget* parent = nullptr);

    struct Value {
        double score = 0.0; ///< NaN: not defined for this head
        double baseline = 0.0;
        double low = 0.0;
        double high = 0.0;
    };
    void setValue(Value value);
    void setColour(QColor colour);
    double threshold() const { return threshold_; }
    /// Clamped to 0..1; does not emit `thresholdMoved`.
    void setThreshold(double threshold);
    /// Whether the user can move the threshold; it can from the start.
    void setEditable(bool editable);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// The user moved it.
    void thresholdMoved(double threshold);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void moveThresholdTo(double threshold);
    bool isOnHandle(QPointF position) const;
    QRectF barRect() const;
    double xOf(double fraction) const;
    void paintBar(QPainter& painter) const;
    void paintBaselineAndInterval(QPainter& painter) const;
    void paintHandle(QPainter& painter) const;
    void describe();

    /// The threshold while it can be moved, else the score.
    double shownValue() const override { return is_editable_ ? threshold_ : value_.score; }
    QString valueText() const override;
    double valueStep() const override;
    bool canBeMoved() const override { return is_editable_ && isEnabled(); }
    void moveValue(double value) override { moveThresholdTo(value); }

    Value value_;
    QColor colour_;
    double threshold_ = 0.5;
    bool is_editable_ = true;
    bool dragging_ = false;
};

} // namespace headscope::ui
