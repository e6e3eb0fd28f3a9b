#pragma once

#include "core/base/result.h"
#include "core/tokenizer/json_view.h"
#include "core/tokenizer/regex.h"

namespace headscope {

/// {"String": "…"} or {"Regex": "…"}.
Result<Regex> readPattern(const JsonView& pattern);

} // namespace headscope
