#pragma once

#include "core/base/progress.h"
#include "core/engine/run.h"
#include "ui/widgets/colour_map.h"

#include <QImage>
#include <QVector>

#include <stop_token>

namespace headscope::ui {

/// Small pictures of all heads' patterns, row-major by layer and head, on the fixed scale 0..1;
/// what the mask hides is transparent, and a head that was removed has none. Cells that share a
/// pixel show their largest weight. Called from worker threads; incomplete after a stop request.
QVector<QImage> patternThumbnails(const Run& run, ColourMap map, const Progress& progress,
                                  std::stop_token stop);

} // namespace headscope::ui
