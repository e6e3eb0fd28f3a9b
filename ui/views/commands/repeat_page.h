#pragma once

#include "ui/document/repetition.h"

namespace headscope::ui {

class PatternView;

/// What gives the numbers of the page in the middle of the window again.
Repetition repetitionOfPage(const Document& document, const PatternView& pattern);

} // namespace headscope::ui
