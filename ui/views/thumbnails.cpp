#include "ui/views/thumbnails.h"

#include <algorithm>
#include <vector>

namespace headscope::ui {
namespace {

constexpr std::size_t kLargestSide = 96; // pixels

/// Largest weight of each pixel's cells; −1 where no cell can be seen.
std::vector<float> maxPooled(const Tensor& pattern, std::size_t side, bool causal) {
    const std::size_t positions = pattern.dim(0);
    std::vector<float> pooled(side * side, -1.0f);
    for (std::size_t q = 0; q < positions; ++q) {
        float* row = pooled.data() + (q * side / positions) * side;
        const std::size_t visible = causal ? q + 1 : positions;
        for (std::size_t k = 0; k < visible; ++k) {
            float& pixel = row[k * side / positions];
            pixel = std::max(pixel, pattern(q, k));
        }
    }
    return pooled;
}

QImage thumbnail(const Tensor& pattern, ColourMap map, bool causal) {
    const std::size_t side = std::min(pattern.dim(0), kLargestSide);
    const auto& colours = colourTable(map);
    const std::vector<float> pooled = maxPooled(pattern, side, causal);
    QImage image(static_cast<int>(side), static_cast<int>(side), QImage::Format_ARGB32);
    for (std::size_t y = 0; y < side; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
        for (std::size_t x = 0; x < side; ++x) {
            const float weight = pooled[y * side + x];
            const auto index = static_cast<std::size_t>(std::clamp(weight, 0.0f, 1.0f) * 255.0f);
            line[x] = weight < 0.0f ? qRgba(0, 0, 0, 0) : colours[index];
        }
    }
    return image;
}

} // namespace

QVector<QImage> patternThumbnails(const Run& run, ColourMap map, const Progress& progress,
                                  std::stop_token stop) {
    const ModelSpec& spec = run.model->spec;
    const std::size_t heads = spec.n_layers * spec.n_heads;
    QVector<QImage> images;
    for (std::size_t i = 0; i < heads && !stop.stop_requested(); ++i) {
        const Tensor pattern = run.pattern({i / spec.n_heads, i % spec.n_heads});
        images.append(thumbnail(pattern, map, spec.causal));
        report(progress, static_cast<double>(i + 1) / static_cast<double>(heads), "thumbnails");
    }
    return images;
}

} // namespace headscope::ui
