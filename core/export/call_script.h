#pragma once

#include "core/export/call.h"

#include <span>
#include <string>

namespace headscope {

/// Something that was done, and what repeats it.
struct ScriptStep {
    std::string what;              ///< "Ran the prompt"
    Result<Calls> calls = Calls(); ///< or why nothing repeats it
};

// What was done as a script, step by step, each under a comment that says what it was. A step that
// cannot be repeated is a comment that says why.

/// For /bin/sh; it ends at the first command that fails.
std::string shellScript(std::span<const ScriptStep> steps);

/// For Python, which prints every result.
std::string pythonScript(std::span<const ScriptStep> steps);

} // namespace headscope
