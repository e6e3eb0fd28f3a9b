#pragma once

#include "core/verify/report.h"

#include <string>

namespace headscope {

/// The report as plain text for people: what it was made with, the result, and every check with
/// what was expected and what was measured.
std::string verifyText(const VerifyReport& report);

/// {"app_version", "blas", "counts": {"failed", "not applicable", "not verified", "passed"},
/// "date", "kernels", "model": {"family", "name", "sha256"} or null, "passed", "reference": path or
/// null, "sections":
/// [{"checks": [{"expected", "explanation", "measured", "name", "outcome"}], "name"}], "threads"}
/// and a line end; keys sorted.
std::string verifyJson(const VerifyReport& report);

} // namespace headscope
