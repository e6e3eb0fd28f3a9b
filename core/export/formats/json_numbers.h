#pragma once

#include "core/base/json.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace headscope {

/// A number as JSON that reads back to the bit: null for one that is not defined, "inf" and "-inf".
std::string exactNumber(double value);
/// "[1,2.5,null]"
std::string exactNumbers(std::span<const double> values);

/// What exactNumber() wrote; nothing for anything else.
std::optional<double> readExactNumber(const JsonValue& value);
/// A list of `count` such numbers; nothing for anything else.
std::optional<std::vector<double>> readExactNumbers(const JsonValue& list, std::size_t count);

} // namespace headscope
