#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace headscope {

/// A text as a file holds it, without the byte order mark of UTF-8 that some editors put first.
/// Fails on the marks of UTF-16 and UTF-32; `source` names the file.
Result<std::string> withoutByteOrderMark(std::string text, std::string_view source);

} // namespace headscope
