#pragma once

#include "core/base/result.h"
#include "ui/document/prompt_run.h"
#include "ui/views/pattern/head_pattern.h"
#include "ui/widgets/heatmap.h"
#include "ui/widgets/token_content.h"

#include <QSize>
#include <QString>

#include <cstddef>
#include <memory>
#include <span>
#include <stop_token>

namespace headscope::ui {

/// Of exported pictures, in logical pixels.
constexpr QSize kFigureSize{720, 640};

/// valueNorms() of a result, with its heads ablated. For worker threads.
Result<std::shared_ptr<const Tensor>> valueNormsOf(const RunResult& result,
                                                   const std::stop_token& stop);

/// A map of a head of a result. `norms` are needed for the value-weighted one.
HeadPattern headPattern(const RunResult& result, const std::shared_ptr<const Tensor>& norms,
                        LayerHead head, PatternMap map);

/// "L4 H1 · induction 0.62 (baseline 0.01)"; `scores` may be null.
QString patternTitle(LayerHead head, const HeadScores* scores, const Thresholds& thresholds,
                     const HeadMask& mask, PatternMap map = PatternMap::Attention);

/// `pattern` of `result` ready for the heatmap, with labels, axes and the line under figures.
HeatmapContent patternContent(const RunResult& result, const HeadPattern& pattern,
                              const QString& title);

/// What a figure of `pattern` needs to be understood later: model, BOS, ablated heads, the map, and
/// whether the first key is hidden.
QString patternNote(const RunResult& result, const HeadPattern& pattern);

/// What the line under a figure says of a scale that is not linear; begins with its separator.
QString scaleNote(ValueScale scale);

/// The beginning of the prompt, or of its ids where it is no text.
QString promptExcerpt(const RunResult& result);

/// "query ‹·Mary› 3 → key ‹·John› 1 · weight 0.413 · rank 2 of 4"
QString cellText(const RunResult& result, const HeadPattern& pattern, std::size_t query,
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
QString readingSentence(PatternMap map, TokenDirection direction);

/// "query ‹·to› 14 looks at ‹·Mary› 2 0.620 · ‹·John› 4 0.210 …": its largest values.
QString rowText(const RunResult& result, const HeadPattern& pattern, std::size_t query);

} // namespace headscope::ui
