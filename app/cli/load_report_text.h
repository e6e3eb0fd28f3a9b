#pragma once

#include "core/model/load_report.h"

#include <ostream>

namespace headscope::cli {

/// What was read from where, in columns; tensors that every layer has alike take one line.
void printLoadReport(std::ostream& out, const LoadReport& report);

} // namespace headscope::cli
