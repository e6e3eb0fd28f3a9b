#pragma once

#include "core/analysis/head_score.h"

#include <QColor>
#include <QIcon>

namespace headscope::ui {

/// The colour of a head type wherever it appears.
QColor typeColourOf(DetectorId detector);

/// Its letter on its colour.
QIcon typeIcon(DetectorId detector);

} // namespace headscope::ui
