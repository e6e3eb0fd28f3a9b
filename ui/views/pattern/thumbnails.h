#pragma once

#include "core/base/progress.h"
#include "core/base/result.h"
#include "ui/document/pattern_source.h"
#include "ui/views/pattern/pattern_settings.h"
#include "ui/widgets/heatmap_cells.h"

#include <QImage>
#include <QVector>

#include <functional>
#include <memory>
#include <stop_token>

namespace headscope::ui {

/// Some of the pictures of all heads, row-major by layer and head, from number `first` on.
struct ThumbnailPart {
    qsizetype first = 0;
    QVector<QImage> images;
    CellColours colours; ///< of all pictures, unless each has a scale of its own
    bool hides_first_key = false;
    double first_key_share = 0.0; ///< mean over all heads
};

using PublishThumbnails = std::function<void(const ThumbnailPart&)>;

/// Small pictures of all heads' maps, layer by layer, or at once where they share a scale that is
/// known at the end. What the mask hides is transparent, and a head that was removed has none.
/// Cells that share a pixel show their strongest value. Whether the first key is hidden is one
/// answer for all heads. `background` is that of the window. Called from worker threads; fails with
/// ErrorCode::Cancelled on a stop request, or as valueNorms() does.
Result<void> patternThumbnails(const PatternSource& source, const PatternSettings& settings,
                               const QColor& background, const PublishThumbnails& publish,
                               const Progress& progress, const std::stop_token& stop);

} // namespace headscope::ui
