#pragma once

#include "core/verify/report.h"

#include <optional>
#include <string>
#include <string_view>

namespace headscope {

/// A report with one section on one line: {"blas", "checks": [{"expected", "explanation",
/// "measured", "name", "outcome"}], "kernels", "name", "threads"}. The rest of the report is not
/// in it.
std::string sectionPartText(const VerifyReport& report);

/// The same back: machine and section of a report; nothing for anything else.
std::optional<VerifyReport> readSectionPart(std::string_view text);

} // namespace headscope
