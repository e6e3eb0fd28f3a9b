#pragma once

#include "core/trust/label_trust.h"
#include "ui/markup/markup.h"

#include <QString>

namespace headscope::ui {

// What is measured of a label, in the language of the window.

/// "cause", "correlate: pattern only"
QString wordName(TrustWord word);
/// What it says, one sentence.
QString wordMeaning(TrustWord word);
/// "specific"
QString partName(TrustPart part);
/// "● specific"
QString partMark(const LabelTrust& label, TrustPart part);
/// "specific: passed"
QString partGrade(const LabelTrust& label, TrustPart part);
/// The same in bold, what was measured, and what the part asks.
Markup partTip(const LabelTrust& label, TrustPart part);

/// "induction 0.62 (cause)"; of labels that claim no cause the name and the score.
QString labelWithWord(const LabelTrust& label);

} // namespace headscope::ui
