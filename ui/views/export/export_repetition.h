#pragma once

#include "ui/document/document.h"
#include "ui/document/repetition.h"
#include "ui/views/export/export_plan.h"

#include <QString>

namespace headscope::ui {

/// What writes the same numbers to this file on the command line.
Repetition exportRepetition(const Document& document, const ExportPlan& plan, const QString& path);

} // namespace headscope::ui
