#pragma once

#include <QString>

namespace headscope::ui {

class Document;

/// Why no scores are there and what to do; empty when there are some.
QString missingScoresText(Document& document);

} // namespace headscope::ui
