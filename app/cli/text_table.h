#pragma once

#include "core/base/table.h"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace headscope::cli {

using Row = std::vector<std::string>;

/// Rows with their columns aligned to the left, two spaces apart, each row after `indent` spaces. A
/// cell stays on its line, whatever control characters it holds.
void printRows(std::ostream& out, std::vector<Row> rows, std::size_t indent = 0);

/// The caption, an empty line, the headings and the rows.
void printTable(std::ostream& out, const Table& table);

} // namespace headscope::cli
