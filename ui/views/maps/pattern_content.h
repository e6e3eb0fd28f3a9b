#pragma once

#include "ui/document/prompt_run.h"
#include "ui/views/maps/head_pattern.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/token_content.h"

#include <QSize>
#include <QString>

#include <cstddef>
#include <span>

namespace headscope::ui {

/// The size of exported pictures, in logical pixels.
constexpr QSize kFigureSize{720, 640};

/// "B − A · L4 H1 · induction 0.62 (baseline 0.01)"; `scores` may be null, and is left out where
/// they are of another model.
QString patternTitle(const PatternSource& source, LayerHead head, const HeadScores* scores,
                     const Thresholds& thresholds, PatternMap map = PatternMap::Attention);

/// `pattern` of `source` ready for the heatmap, with labels, axes and the line under figures.
HeatmapContent patternContent(const PatternSource& source, const HeadPattern& pattern,
                              const QString& title);

/// What a figure of `pattern` needs to be understood later: models, BOS, ablated heads, what is
/// compared, the map, and whether the first key is hidden.
QString patternNote(const PatternSource& source, const HeadPattern& pattern);

/// Beside the colour scale: "attention", "change of attention", "attention of B − A".
QString valueName(PatternMap map, bool is_compared);

/// What the line under a figure says of a scale that is not linear; begins with its separator.
QString scaleNote(ValueScale scale);

/// The beginning of the prompt, or of its ids where it is no text.
QString promptExcerpt(const RunResult& result);

/// "query ‹·Mary› 3 → key ‹·John› 1 · weight 0.413 · rank 2 of 4"
/// Of a difference also what it is the difference of.
QString cellText(const PatternSource& source, const HeadPattern& pattern, std::size_t query,
                 std::size_t key);

/// How many tokens are named for one head.
constexpr std::size_t kMostNamed = 4;

/// "‹·Mary› 2"
QString tokenName(const RunResult& result, std::size_t token);

/// "‹·Mary› 2 0.620"
QString tokenValue(const RunResult& result, std::size_t token, float value);

/// "‹·Mary› 2 0.620 · ‹·John› 4 0.210": the tokens with the values furthest from 0, ties by
/// position; NaN is left out.
QString strongestText(const RunResult& result, std::span<const float> values, std::size_t count);

/// "query %1 looks at %2", "key %1 is read by %2", as the map has it.
QString readingSentence(const HeadPattern& pattern, TokenDirection direction);

/// "query ‹·to› 14 looks at ‹·Mary› 2 0.620 · ‹·John› 4 0.210 …": its largest values.
QString rowText(const RunResult& result, const HeadPattern& pattern, std::size_t query);

} // namespace headscope::ui
