#pragma once

#include "ui/document/pruning_bench.h"
#include "ui/document/pruning_reading.h"
#include "ui/widgets/curve_plot.h"

#include <optional>

namespace headscope::ui {

/// What a curve plot shows of a result that may still grow: a line for each order but the random
/// ones, which are a band. `tolerance` is drawn where the loss is.
CurvePlotContent curveContent(const PruningResult& result, CurveMeasure measure, double tolerance);

/// The line and point of the content where a cut is drawn.
std::optional<CurvePlotPlace> placeOnPlot(const PruningResult& result, const ChosenPoint& point);

/// The cut that is drawn there, which must be.
ChosenPoint pointOnPlot(const PruningResult& result, CurvePlotPlace place);

} // namespace headscope::ui
