#include "ui/widgets/plot/dressed_axes.h"

namespace headscope::ui {

void dressAxes(QCustomPlot& plot, const HeatmapTheme& theme, const QFont& font) {
    plot.setBackground(theme.background);
    for (QCPAxis* axis : plot.axisRect()->axes()) {
        axis->setBasePen(QPen(theme.frame));
        axis->setTickPen(QPen(theme.frame));
        axis->setTickLabelColor(theme.text);
        axis->setLabelColor(theme.faint);
        axis->setTickLabelFont(font);
        axis->setLabelFont(font);
        axis->setSubTicks(false);
        axis->setTickLength(0, 4);
        axis->grid()->setPen(QPen(theme.masked));
        axis->grid()->setZeroLinePen(Qt::NoPen);
    }
}

} // namespace headscope::ui
