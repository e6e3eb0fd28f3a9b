#pragma once

#include "core/export/call.h"

#include <optional>
#include <string>

namespace headscope {

/// The call as a statement, behind the one that opens its model where that is not `open`, which it
/// is then.
std::string pythonStatements(const Call& call, std::optional<CalledModel>& open);

/// A comment of a shell and of Python, whatever the text holds.
std::string commentLines(const std::string& text);

} // namespace headscope
