#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QPointF>
#include <QSize>
#include <QString>
#include <QWidget>

#include <optional>
#include <utility>

class QCPAxis;
class QCustomPlot;

namespace headscope::ui {

/// A plot of points by two values, of which one can be chosen. The axes never leave what there is
/// to see; + − 0 zoom around the chosen point.
class PointPlot : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    ~PointPlot() override;

    /// Shown in the middle while there is no point.
    void setEmptyText(const QString& text);
    const QString& emptyText() const { return empty_text_; }
    void showAll();

protected:
    using Range = std::pair<double, double>;

    PointPlot(QSize smallest, QWidget* parent);

    QCustomPlot& plot() const { return *plot_; }
    void replot();
    /// Whether the key was one that zooms.
    bool zoomByKey(int key);

    /// The ranges that show all of it.
    virtual Range allAcross() const = 0;
    virtual Range allUp() const = 0;
    /// In the units of the axes.
    virtual std::optional<QPointF> chosenPoint() const = 0;
    /// Draws in the colours and the font of the widget.
    virtual void applyTheme() = 0;
    /// Tells assistive technology what is chosen.
    virtual void describe() = 0;

    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    Range allAlong(const QCPAxis* axis) const;
    void zoom(double factor);

    QCustomPlot* plot_ = nullptr;
    QString empty_text_;
};

} // namespace headscope::ui
