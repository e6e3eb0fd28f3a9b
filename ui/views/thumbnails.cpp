#include "ui/views/thumbnails.h"

#include "ui/views/pattern_content.h"
#include "ui/widgets/heatmap_cells.h"

#include <algorithm>

namespace headscope::ui {
namespace {

constexpr std::size_t kLargestSide = 96; // pixels

QImage thumbnail(const Tensor& pattern, ColourMap map) {
    const std::size_t positions = pattern.dim(0);
    const auto whole = static_cast<double>(positions);
    const auto side = static_cast<int>(std::min(positions, kLargestSide));
    return renderCells(pattern.matrix(), {0.0, 0.0, whole, whole}, {side, side}, {map, 0.0, 1.0});
}

} // namespace

QVector<QImage> patternThumbnails(const Run& run, ColourMap map, const Progress& progress,
                                  std::stop_token stop) {
    const ModelSpec& spec = run.model->spec;
    const std::size_t heads = spec.n_layers * spec.n_heads;
    QVector<QImage> images;
    for (std::size_t i = 0; i < heads && !stop.stop_requested(); ++i) {
        images.append(thumbnail(*visiblePattern(run, {i / spec.n_heads, i % spec.n_heads}), map));
        report(progress, static_cast<double>(i + 1) / static_cast<double>(heads), "thumbnails");
    }
    return images;
}

} // namespace headscope::ui
