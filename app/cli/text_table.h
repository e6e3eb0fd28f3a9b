#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::cli {

using Row = std::vector<std::string>;

/// Rows with their columns aligned to the left, two spaces apart, each row after `indent` spaces.
void printTable(std::ostream& out, const std::vector<Row>& rows, std::size_t indent = 0);

} // namespace headscope::cli
