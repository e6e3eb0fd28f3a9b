#include "core/export/formats/html.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace headscope {

namespace {

/// What stands for a character that is part of markup; nothing for others.
std::string_view entityOf(std::string_view character) {
    if (character == "&")
        return "&amp;";
    if (character == "<")
        return "&lt;";
    if (character == ">")
        return "&gt;";
    if (character == "\"")
        return "&quot;";
    return character == "'" ? "&#39;" : "";
}

bool isNumber(const Value& value) {
    return std::holds_alternative<double>(value.held) ||
           std::holds_alternative<float>(value.held) ||
           std::holds_alternative<std::int64_t>(value.held);
}

bool holdsNumbers(const Table& table, std::size_t column) {
    return std::ranges::any_of(table.rows,
                               [column](const TableRow& row) { return isNumber(row[column]); });
}

/// A heading of a column or row, or another cell.
enum class HtmlCell { Column, Row, Other };

std::string htmlCell(std::string_view text, HtmlCell kind, bool is_of_numbers) {
    std::string attributes = kind == HtmlCell::Column ? " scope=\"col\""
                             : kind == HtmlCell::Row  ? " scope=\"row\""
                                                      : "";
    if (is_of_numbers)
        attributes += " class=\"number\"";
    return htmlElement(kind == HtmlCell::Other ? "td" : "th", text.empty() ? "–" : text,
                       attributes);
}

} // namespace

std::string htmlText(std::string_view text) {
    std::string html;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view character = rest.substr(0, decodeCharacter(rest).bytes);
        if (const std::string_view entity = entityOf(character); !entity.empty())
            html += entity;
        else if (character == "\n" || character == "\t")
            html += character;
        else
            html += escapeControls(character);
        rest.remove_prefix(character.size());
    }
    return html;
}

std::string htmlElement(std::string_view tag, std::string_view text, std::string_view attributes) {
    const std::string name(tag);
    return "<" + name + std::string(attributes) + ">" + htmlText(text) + "</" + name + ">\n";
}

std::string htmlTable(const Table& table) {
    std::string html =
        "<div class=\"wide\"><table>\n" + htmlElement("caption", table.caption) + "<thead><tr>\n";
    std::vector<bool> of_numbers;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        of_numbers.push_back(holdsNumbers(table, i));
        html += htmlCell(headingText(table.columns[i]), HtmlCell::Column, of_numbers[i]);
    }
    html += "</tr></thead>\n<tbody>\n";
    for (const TableRow& row : table.rows) {
        html += "<tr>\n";
        for (std::size_t i = 0; i < row.size(); ++i)
            html += htmlCell(shownText(row[i], table.columns[i].decimals),
                             i == 0 ? HtmlCell::Row : HtmlCell::Other, of_numbers[i]);
        html += "</tr>\n";
    }
    return html + "</tbody>\n</table></div>\n";
}

} // namespace headscope
