#include "app/cli/text_table.h"

#include "core/base/text.h"
#include "core/base/utf8.h"

#include <algorithm>
#include <utility>

namespace headscope::cli {

std::string rowsText(std::vector<Row> rows) {
    std::vector<std::size_t> widths;
    for (Row& row : rows) {
        std::ranges::transform(row, row.begin(), escapeControls);
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t column = 0; column < row.size(); ++column)
            widths[column] = std::max(widths[column], characterCount(row[column]));
    }
    std::vector<std::string> lines;
    for (const Row& row : rows) {
        std::string& line = lines.emplace_back();
        for (std::size_t column = 0; column < row.size(); ++column) {
            line += row[column];
            line.append(widths[column] - characterCount(row[column]) + 2, ' ');
        }
        line.resize(line.find_last_not_of(' ') + 1);
    }
    return join(lines, "\n");
}

void printRows(std::ostream& out, std::vector<Row> rows) {
    if (!rows.empty())
        out << rowsText(std::move(rows)) << '\n';
}

void printTable(std::ostream& out, const Table& table) {
    std::vector<std::size_t> shown;
    Row headings;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (!table.columns[i].title.empty()) {
            shown.push_back(i);
            headings.push_back(headingText(table.columns[i]));
        }
    out << table.caption << '\n';
    if (shown.empty())
        return;
    std::vector<Row> rows{std::move(headings)};
    for (const TableRow& cells : table.rows) {
        Row& row = rows.emplace_back();
        for (const std::size_t i : shown)
            row.push_back(shownText(cells[i], table.columns[i].decimals));
    }
    out << '\n';
    printRows(out, std::move(rows));
}

} // namespace headscope::cli
