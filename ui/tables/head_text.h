#pragma once

#include "core/base/layer_head.h"
#include "core/engine/head_mask.h"
#include "core/heads/head_score.h"
#include "core/heads/head_type.h"
#include "core/model/model.h"
#include "ui/markup/markup.h"

#include <QString>

#include <cstddef>
#include <string_view>
#include <vector>

namespace headscope::ui {

QString toQString(std::string_view text);

/// "L4 H1"
QString headName(LayerHead head);
/// "L4 H1, L4 H2"; of more than three heads their number.
QString headNames(const std::vector<LayerHead>& heads);
/// For the gap in a grid that a head has left.
QString missingHeadTooltip(const ModelSpec& spec, LayerHead head);

/// "0.62"; "–" for a score that is not defined.
QString scoreText(double score);

/// ".62", "1", "–": for small places.
QString shortScoreText(double score);

/// "5,898,240", the same everywhere.
QString groupedText(std::size_t count);

/// "41 %", "3.2 %", and "< 0.1 %" for next to nothing.
QString percentText(double probability);

/// Why the score of this type is not defined for a head; short, for a line under the bar.
QString undefinedText(const HeadScores& scores, HeadTypeId type);

/// "35 ms", "2.4 s", "1 min 23 s"
QString durationText(double seconds);

/// Name in the middle of a sentence: "previous token".
QString typeName(HeadTypeId type);
/// With the offset, of types that have one.
QString typeName(const HeadScore& score);

/// "Which positions it looks for", heading of the types of a group.
QString groupName(TypeGroup group);

/// "repeated random tokens": what the types of this kind are measured on.
QString inputName(InputKind input);

/// "zero" or "mean"
QString ablationName(AblationKind kind);

/// "baseline 0.01 · 95 % 0.60–0.64"; of a single sequence, which has no interval, the baseline
/// alone. Before it "on sentences 0.42", of types that are read there too.
QString baselineText(const HeadScore& score, std::size_t sequences);

/// What a score is judged by: baseline and interval, and its second reading.
Markup readingMarkup(const HeadScore& score, std::size_t sequences);

/// "Control: the same score two tokens back." Empty for types without one.
QString controlText(const HeadType& type);
/// What a type is: its name, what such a head does, the formula with its source, and the control.
Markup typeTip(const HeadType& type);

/// "induction 0.62 (baseline 0.01) · sink 0.50 (baseline 0.05)"; "no type" when nothing is over its
/// threshold.
QString labelText(const HeadScores& scores, LayerHead head, const Thresholds& thresholds);

/// About one head; `scores` may be null.
Markup headTooltip(const ModelSpec& spec, const HeadScores* scores, LayerHead head,
                   const Thresholds& thresholds, const HeadMask& mask);

/// "Measured on 10 random sequences …, with BOS (id 0)."; where these types were measured on
/// different inputs, a line for each that names them.
QString scoreInputText(const HeadScores& scores, const std::vector<HeadTypeId>& types);

} // namespace headscope::ui
