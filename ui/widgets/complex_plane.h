#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QWidget>

#include <complex>
#include <vector>

namespace headscope::ui {

/// Numbers in the complex plane around 0, both axes alike: red on the side of positive real parts,
/// blue on the other.
class ComplexPlane : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    explicit ComplexPlane(QWidget* parent = nullptr);

    void setNumbers(std::vector<std::complex<double>> numbers);
    /// Where a number is drawn, in widget coordinates.
    QPointF pointOf(std::complex<double> number) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void paintAxes(QPainter& painter) const;
    double radius() const; ///< of the circle through the furthest number, pixels

    std::vector<std::complex<double>> numbers_;
    double largest_ = 0.0; ///< magnitude
};

} // namespace headscope::ui
