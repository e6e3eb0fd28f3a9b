#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A row of a table in a text.
struct SeparatedRow {
    std::size_t line = 1; ///< of the text, from 1, in which it begins
    std::vector<std::string> cells;
};

/// The rows of CSV (RFC 4180) or, with a tab, of TSV. A cell in quotation marks may hold
/// separators, line ends, and quotation marks written twice. Empty lines are passed over. Fails on
/// a quotation mark that is never closed or that something follows, with the line.
Result<std::vector<SeparatedRow>> readSeparated(std::string_view text, char separator);

} // namespace headscope
