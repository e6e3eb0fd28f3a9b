#pragma once

#include "core/engine/run.h"
#include "ui/models/prompt_run.h"
#include "ui/widgets/token_strip.h"

#include <QString>
#include <QStringList>
#include <QVector>

#include <cstddef>
#include <optional>

namespace headscope::ui {

/// One piece as it is shown: whitespace visible.
QString shownPiece(const std::string& piece);
QStringList shownPieces(const Prompt& prompt);

/// The tokens of a result; `weights` (one per token, or none) tint them.
QVector<TokenChip> tokenChips(const RunResult& result, const std::optional<Tensor>& weights);

/// "next: ·Mary 41 % ·the 12 % …", or why nothing is predicted. Rich text.
QString predictionText(const RunResult& result);

/// Why the prompt starts with BOS or not, and what clicking does. Rich text.
QString bosTooltip(const RunResult& result, BosMode mode);

} // namespace headscope::ui
