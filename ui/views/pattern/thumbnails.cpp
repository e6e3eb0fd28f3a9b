#include "ui/views/pattern/thumbnails.h"

#include "ui/widgets/heatmap_cells.h"

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr std::size_t kLargestSide = 96; // pixels

QImage thumbnail(const Run& run, LayerHead head, ColourMap map) {
    const std::size_t side = std::min(run.positions(), kLargestSide);
    const PositionRange all{0, run.positions()};
    const Tensor pattern = run.pooledPattern(head, all, all, side, side);
    const auto pixels = static_cast<int>(side);
    return renderCells(pattern.matrix(), QRectF(0, 0, pixels, pixels), QSize(pixels, pixels),
                       {map, 0.0, 1.0});
}

} // namespace

QVector<QImage> patternThumbnails(const Run& run, ColourMap map, const Progress& progress,
                                  std::stop_token stop) {
    const ModelSpec& spec = run.model->spec;
    const std::size_t heads = spec.n_layers * spec.n_heads;
    QVector<QImage> images;
    for (std::size_t i = 0; i < heads && !stop.stop_requested(); ++i) {
        const LayerHead head{i / spec.n_heads, i % spec.n_heads};
        images.append(spec.hasHead(head) ? thumbnail(run, head, map) : QImage());
        report(progress, static_cast<double>(i + 1) / static_cast<double>(heads), "thumbnails");
    }
    return images;
}

} // namespace headscope::ui
