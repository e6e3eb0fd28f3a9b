#pragma once

#include "core/export/named_array.h"

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

namespace headscope {

/// A cell that no spreadsheet computes. They compute what begins with =, +, -, @, a tab or a line
/// break; unless it is a number or a percentage, or several with spaces between them, an apostrophe
/// before it makes it a text, which they do not show.
std::string textCell(std::string_view text);

/// The same as RFC 4180 wants it: in quotes when it holds a comma, a quote or a line break.
std::string csvCell(std::string_view text);

/// Cells, with commas between them.
std::string csvCells(std::span<const std::string> texts);

/// A [query, key] matrix with "position token" in the first row and column.
void writeCsvMatrix(std::ostream& out, const NamedArray& matrix,
                    std::span<const std::string> pieces);

/// One number per row: array,index_0,index_1,…,value. Arrays of lower rank leave the last index
/// cells empty.
void writeCsvLong(std::ostream& out, std::span<const NamedArray> arrays);

/// {"arrays": {name: {"dtype": "float32", "shape": [2, 3], "values": [[…], […]]}},
///  "provenance": {…}} and a line end; keys sorted, NaN and infinities null.
void writeJsonArrays(std::ostream& out, std::span<const NamedArray> arrays,
                     const Provenance& provenance);

} // namespace headscope
