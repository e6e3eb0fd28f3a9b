#pragma once

#include "app/cli/work.h"
#include "core/verify/report.h"

#include <memory>
#include <string>

namespace headscope::cli {

/// "2026-01-31T12:00:00Z": now, or what SOURCE_DATE_EPOCH says, so that reports can be compared.
std::string reportDate();

/// Prints the report or, where `output` is not empty, writes it: JSON for FILE.json, else text.
/// Fails where a check did.
Result<void> deliverReport(const VerifyReport& report, bool json, const std::string& output);

/// A verification, each section a unit.
std::unique_ptr<Work> makeVerifyWork();

} // namespace headscope::cli
