#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// The refusal of a model_type that no family has: the reason if it is known, else the family with
/// the most similar name. `source` begins the message.
Error unknownFamily(const std::string& source, std::string_view model_type);

} // namespace headscope
