#pragma once

#include "ui/widgets/accessible/painted.h"
#include "ui/widgets/heatmap_cells.h"

#include <QString>
#include <QWidget>

namespace headscope::ui {

/// A colour scale in a line: the colours, their values, and what these are.
class ColourLegend : public QWidget, public PaintedChart {
    Q_OBJECT

public:
    explicit ColourLegend(QWidget* parent = nullptr);

    void setColours(const CellColours& colours, const QString& name);
    const CellColours& colours() const { return colours_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    CellColours colours_;
    QString name_;
};

} // namespace headscope::ui
