#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// The refusal of a model_type that no family has: why it does not fit where that is known, else
/// the family that is spelled most like it. `source` begins the message.
Error unknownFamily(const std::string& source, std::string_view model_type);

} // namespace headscope
