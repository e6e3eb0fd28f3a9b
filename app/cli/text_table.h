#pragma once

#include "core/base/table.h"

#include <ostream>
#include <string>
#include <vector>

namespace headscope::cli {

using Row = std::vector<std::string>;

/// Rows with their columns aligned to the left, two spaces apart, and a line end between any two. A
/// cell stays on its line, whatever control characters it holds.
std::string rowsText(std::vector<Row> rows);
/// The same with a line end behind each.
void printRows(std::ostream& out, std::vector<Row> rows);

/// The caption, an empty line, the headings and the rows.
void printTable(std::ostream& out, const Table& table);

} // namespace headscope::cli
