#pragma once

#include "core/base/result.h"
#include "core/export/report.h"

namespace headscope::ui {

class Document;

/// What a report says of the prompt, as it was last run; the document must have a model.
Result<ReportPrompt> reportPrompt(const Document& document);

} // namespace headscope::ui
