#pragma once

#include "core/interventions/prompt_alignment.h"
#include "ui/document/prompt_run.h"

#include <QString>

#include <cstddef>
#include <optional>

class QLabel;
class QLineEdit;

namespace headscope::ui {

class TokenStrip;

/// The tokens of a run, with what ablated heads do to their losses; framed where they differ from
/// those of `other`, by `counterpart` [position] → position of other. Null: no run, or no other.
void showRun(TokenStrip& strip, const RunResult* result, const RunResult* other,
             const TokenAlignment& counterpart);

/// Underlines the tokens of a part of the prompt's text, in code points; nothing: none.
void showWritten(TokenStrip& strip, const RunResult* result, std::optional<TextRange> written);

/// Outlines the token and tints all by where the head looks from it.
void showLockedToken(TokenStrip& strip, const RunResult* result, LayerHead head,
                     std::optional<std::size_t> token);

/// Scrolls to the token in front of the cursor, while the user is in the field and its text has
/// run.
void showTokenAtCursor(TokenStrip& strip, const QLineEdit& edit, const RunResult* result);

/// What the run predicts, or the error in its place.
void showOutcome(QLabel& label, const RunResult* result, const QString& error);

} // namespace headscope::ui
