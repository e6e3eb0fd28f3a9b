#pragma once

#include "core/base/result.h"
#include "core/engine/run.h"
#include "ui/models/prompt_run.h"
#include "ui/widgets/heatmap.h"

#include <QSize>
#include <QString>

#include <cstddef>
#include <memory>

namespace headscope::ui {

/// Of exported pictures, in logical pixels.
constexpr QSize kFigureSize{720, 640};

/// The pattern of one head, [query, key], recomputed from `run` as it is asked for; NaN where the
/// mask hides the key.
std::shared_ptr<const CellSource> patternCells(std::shared_ptr<const Run> run, LayerHead head);

/// "L4 H1 · induction 0.62 (chance 0.01)"; `scores` may be null.
QString patternTitle(LayerHead head, const HeadScores* scores, const Thresholds& thresholds,
                     const HeadMask& mask);

/// `cells` of `result` ready for the heatmap, with labels, axes and the line under figures.
HeatmapContent patternContent(const RunResult& result, std::shared_ptr<const CellSource> cells,
                              const QString& title);

/// Of the masked run: "query ‹·Mary› 3 → key ‹·John› 1 · weight 0.413 · rank 2 of 4"
QString cellText(const RunResult& result, LayerHead head, std::size_t query, std::size_t key);

/// Of the masked run: "row ‹·to› 14 looks at ‹·Mary› 0.62, ‹·John› 0.21 …": its largest weights.
QString rowText(const RunResult& result, LayerHead head, std::size_t query);

} // namespace headscope::ui
