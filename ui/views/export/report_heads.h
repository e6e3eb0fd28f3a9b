#pragma once

#include "core/base/result.h"
#include "core/export/report.h"

namespace headscope::ui {

class Document;
class PatternView;

// What a report says of heads. The document must have a model.

/// What the report says of the selected head, without what it writes, which takes a run.
Result<ReportHead> reportHead(const Document& document, const PatternView& pattern);

/// All heads with their types.
Result<ReportGrid> reportGrid(Document& document);

} // namespace headscope::ui
