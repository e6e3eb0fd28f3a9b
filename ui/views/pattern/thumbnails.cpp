#include "ui/views/pattern/thumbnails.h"

#include "ui/views/pattern/pattern_maps.h"
#include "ui/widgets/colour_map.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope::ui {
namespace {

constexpr std::size_t kLargestSide = 96; // pixels

/// Draws the maps of one source.
class Thumbnailer {
public:
    Thumbnailer(PatternMaps maps, const PatternSettings& settings)
        : maps_(std::move(maps)), settings_(settings),
          spec_(maps_.source().result->full->model->spec) {}

    /// One answer for all heads, in place of one for each.
    void decideOnFirstKey(ThumbnailPart& part) {
        if (maps_.areDifferences())
            return;
        double sum = 0.0;
        std::size_t heads = 0;
        for (const LayerHead head : spec_.allHeads()) {
            sum += firstKeyShare(*maps_.of(head).cells);
            ++heads;
        }
        part.first_key_share = sum / static_cast<double>(heads);
        hides_first_key_ = hidesFirstKey(settings_, part.first_key_share);
        part.hides_first_key = hides_first_key_;
    }

    /// [pixel, pixel] of a head; nothing for one that was removed from its layer.
    Tensor map(LayerHead head) const {
        if (!spec_.hasHead(head))
            return {};
        auto cells = maps_.of(head).cells;
        if (hides_first_key_)
            cells = withoutFirstKey(std::move(cells), settings_.rescale_rows);
        const std::size_t positions = cells->rows();
        const std::size_t side = std::min(positions, kLargestSide);
        return cells->pooled({{0, positions}, {0, positions}, side, side});
    }

    QImage picture(const Tensor& map, CellColours colours) const {
        if (map.empty())
            return {};
        if (settings_.own_scale && !maps_.areDifferences()) {
            const ValueScale scale = colours.scale;
            colours = coloursFor(settings_.colours, std::nullopt, map.matrix());
            colours.scale = scale;
        }
        const auto side = static_cast<int>(map.dim(0));
        return renderCells(map.matrix(), QRectF(0, 0, side, side), QSize(side, side), colours);
    }

private:
    PatternMaps maps_;
    const PatternSettings& settings_;
    const ModelSpec& spec_;
    bool hides_first_key_ = false;
};

double largestMagnitude(const std::vector<Tensor>& maps) {
    double largest = 0.0;
    for (const Tensor& map : maps)
        for (const float value : map.values())
            if (!std::isnan(value))
                largest = std::max(largest, std::fabs(static_cast<double>(value)));
    return largest;
}

Error cancelled() {
    return {ErrorCode::Cancelled, "The pictures of the heads were no longer asked for."};
}

} // namespace

Result<void> patternThumbnails(const PatternSource& source, const PatternSettings& settings,
                               const QColor& background, const PublishThumbnails& publish,
                               const Progress& progress, const std::stop_token& stop) {
    const ModelSpec& spec = source.result->full->model->spec;
    auto read = PatternMaps::read(source, settings.map, {}, stop);
    if (!read)
        return read.error();
    const bool difference = read->areDifferences();
    Thumbnailer draw(*std::move(read), settings);
    ThumbnailPart part;
    draw.decideOnFirstKey(part);
    part.colours = {settings.colours, 0.0, 1.0,
                    valueScale(settings, part.hides_first_key, part.first_key_share)};
    std::vector<Tensor> maps; // of the differences of all heads, or of one layer
    for (std::size_t layer = 0; layer < spec.n_layers; ++layer) {
        for (std::size_t head = 0; head < spec.n_heads; ++head) {
            if (stop.stop_requested())
                return cancelled();
            maps.push_back(draw.map({layer, head}));
        }
        report(progress, static_cast<double>(layer + 1) / static_cast<double>(spec.n_layers),
               "thumbnails");
        if (difference && layer + 1 < spec.n_layers)
            continue;
        if (difference) {
            const double largest = largestMagnitude(maps);
            const double bound = largest > 0.0 ? largest : 1.0;
            part.colours = {divergingOn(background), -bound, bound,
                            valueScale(settings, false, 0.0)};
        }
        for (const Tensor& map : maps)
            part.images.append(draw.picture(map, part.colours));
        publish(part);
        part.first += part.images.size();
        part.images.clear();
        maps.clear();
    }
    return {};
}

} // namespace headscope::ui
