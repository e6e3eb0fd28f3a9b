#pragma once

#include "ui/widgets/accessible/painted.h"

#include <QVector>
#include <QWidget>

#include <cstddef>

namespace headscope::ui {

/// How often weights between 0 and 1 are found, as bars over a small axis. Knows no model.
class WeightHistogram : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    explicit WeightHistogram(QWidget* parent = nullptr);

    /// Counts in equal parts from 0 to 1.
    void setCounts(QVector<std::size_t> counts);
    const QVector<std::size_t>& counts() const { return counts_; }

    QSize sizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRectF plotRect() const;
    QString partText(qsizetype part) const;

    QVector<std::size_t> counts_;
};

} // namespace headscope::ui
