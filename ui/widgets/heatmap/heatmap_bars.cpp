#include "ui/widgets/heatmap/heatmap_bars.h"

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr double kRoomyRow = 9.0; ///< pixels from which bars keep apart

} // namespace

void BarLayer::applyDefaultAntialiasingHint(QCPPainter* painter) const {
    painter->setAntialiasing(false);
}

void BarLayer::draw(QCPPainter* painter) {
    const std::vector<float>& bars = plot_->content().bars;
    if (plot_->isEmpty() || bars.empty())
        return;
    const QRectF map = plot_->layout().map;
    const QRectF margin = plot_->layout().bars;
    const CellRange rows = plot_->visibleRows();
    if (margin.isEmpty() && plot_->visibleColumns().begin > 0)
        return;
    for (std::size_t row = rows.begin; row < rows.end; ++row) {
        QRectF place = plot_->cellRect(row, 0);
        if (!margin.isEmpty()) {
            place.setLeft(margin.left());
            place.setRight(margin.right());
        }
        const double inset = place.height() >= kRoomyRow ? place.height() * 0.25 : 0.0;
        place.adjust(inset > 0.0 ? 1.0 : 0.0, inset, 0.0, -inset);
        place.setWidth(place.width() * static_cast<double>(std::clamp(bars[row], 0.0f, 1.0f)));
        const QRectF sight = margin.isEmpty() ? map : margin;
        painter->fillRect(place.intersected(sight), plot_->theme().bar);
    }
}

} // namespace headscope::ui
