#pragma once

#include "core/interventions/prompt_alignment.h"
#include "ui/document/prompt_run.h"
#include "ui/widgets/token_strip.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <optional>

class QLineEdit;

namespace headscope::ui {

class MarkupLabel;

/// The tokens of a run. Everything that is shown of them is read off the run whose chips they are,
/// which may be older than the runner's: another has come, and is not aligned yet.
class PromptStrip : public TokenStrip {
    Q_OBJECT

public:
    using TokenStrip::TokenStrip;

    /// The run whose tokens are the chips; null: there are none.
    std::shared_ptr<const RunResult> run() const { return run_; }

    /// The tokens of a run, with what ablated heads do to their losses; framed where they differ
    /// from those of `other`, by `counterpart` [position] → position of other. Null: no run, or no
    /// other.
    void showRun(std::shared_ptr<const RunResult> run, const RunResult* other,
                 const TokenAlignment& counterpart);

    /// Underlines the tokens of a part of the prompt's text, in code points; nothing: none.
    void showWritten(std::optional<TextRange> written);

    /// Outlines the token and tints all by where the head looks from it.
    void showLockedToken(LayerHead head, std::optional<std::size_t> token);

    /// Scrolls to the token in front of the cursor, while the user is in the field and its text has
    /// run.
    void showTokenAtCursor(const QLineEdit& edit, const QString& prompt);

private:
    std::shared_ptr<const RunResult> run_;
};

/// What the run predicts, or the error in its place.
void showOutcome(MarkupLabel& label, const RunResult* result, const QString& error);

} // namespace headscope::ui
