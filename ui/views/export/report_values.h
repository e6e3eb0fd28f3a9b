#pragma once

#include "core/base/layer_head.h"
#include "core/base/result.h"
#include "core/export/report.h"
#include "ui/document/prompt_run.h"

#include <QString>

#include <cstddef>
#include <memory>
#include <stop_token>

namespace headscope::ui {

class Document;

/// What a report says of the prompt, as it was last run; the document must have a model.
Result<ReportPrompt> reportPrompt(const Document& document);

class Document;
class PatternView;

/// What the window showed when the user asked for a report, and what is still to be read.
struct ReportDraft {
    Report report;
    std::shared_ptr<const RunResult> result; ///< null: there is nothing to read
    LayerHead head;
    std::size_t query = 0; ///< at which the head writes
};

/// What document and view show now; there must be a model.
ReportDraft reportDraft(Document& document, const PatternView& pattern);

/// "gpt2-mini-6l_1a2b3c4d_L04H01_report"
QString reportName(const Document& document);

/// Reads what the head writes and writes the file. For a worker thread.
Result<void> writeReport(ReportDraft draft, const QString& path, const std::stop_token& stop);

} // namespace headscope::ui
