#include "core/export/formats/html.h"

#include "core/base/utf8.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace headscope {

namespace {

/// The entity of a character that is part of markup; empty for others.
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

std::string_view reportStyle() {
    return R"css(
html { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1.25rem; color: #1c1d1f;
  background: #fff; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans",
  "DejaVu Sans", sans-serif; }
h1 { margin: 0 0 .75rem; font-size: 1.75rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; padding-top: 1rem; border-top: 1px solid #d4d6da;
  font-size: 1.25rem; line-height: 1.3; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; orphans: 3; widows: 3; white-space: pre-wrap; overflow-wrap: anywhere; }
.quiet, figcaption, caption { color: #5a5d63; font-size: .875rem; }
.missing { font-style: italic; }
.wide { overflow-x: auto; margin: .75rem 0; }
table { border-collapse: collapse; font-size: .875rem; }
caption { padding: 0 0 .35rem; text-align: left; white-space: pre-line; }
th, td { padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #e6e7ea; text-align: left;
  vertical-align: top; }
thead th { color: #5a5d63; font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.facts th { padding-right: 1.5rem; color: #5a5d63; font-weight: 400; }
.facts td { overflow-wrap: anywhere; word-break: break-word; }
blockquote { margin: .5rem 0; padding: .5rem .9rem; border-left: 3px solid #0072b2;
  background: #f3f5f7; white-space: pre-wrap; overflow-wrap: anywhere; }
.tokens { margin: .75rem 0; padding: 0; list-style: none; }
.tokens li { display: inline-block; margin: 0 .3rem .4rem 0; padding: .05rem .4rem;
  border: 1px solid #c3c6cc; border-radius: .3rem; background: #f3f5f7; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.tokens .special { border-style: dashed; border-color: #5a5d63; background: none;
  font-style: italic; }
.tokens small { color: #5a5d63; font-size: .7rem; }
figure { margin: .75rem 0; }
figure svg { display: block; max-width: 100%; height: auto; border-radius: .3rem;
  background: #fff; }
figcaption { margin-top: .4rem; white-space: pre-line; }
.grid table { font-size: .75rem; line-height: 1.35; }
.grid th, .grid td { padding: .2rem; border: 1px solid #d4d6da; text-align: center; }
.grid td { min-width: 2.6rem; height: 1.4rem; }
.grid .selected { outline: 2px solid #1c1d1f; outline-offset: -2px; }
.grid .gap { border: 0; }
.label { display: block; margin: .12rem 0; padding: 0 .25rem; border-radius: .2rem;
  white-space: nowrap; }
.off { display: block; color: #b04a00; font-weight: 600; }
.legend { margin: .5rem 0; padding: 0; list-style: none; font-size: .875rem; }
.legend li { display: inline-block; margin: 0 1rem .3rem 0; }
.legend .label { display: inline-block; min-width: 1rem; margin-right: .35rem; font-weight: 600;
  text-align: center; }
pre { margin: .25rem 0 1rem; padding: .6rem .8rem; border-radius: .3rem; background: #f3f5f7;
  font: .8125rem/1.5 ui-monospace, "DejaVu Sans Mono", Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere; word-break: break-word; }
@media screen and (prefers-color-scheme: dark) {
  body { color: #e6e7ea; background: #16181b; }
  h2 { border-color: #3b3f45; }
  .quiet, figcaption, caption, thead th, .facts th, .tokens small { color: #a9adb4; }
  th, td { border-color: #2b2e33; }
  blockquote { border-color: #56b4e9; background: #212429; }
  .tokens li { border-color: #4a4e55; background: #212429; }
  .tokens .special { border-color: #a9adb4; background: none; }
  figure svg { padding: .5rem; }
  .grid th, .grid td { border-color: #3b3f45; }
  .grid .gap { border: 0; }
  .grid .selected { outline-color: #fff; }
  .off { color: #ff9d57; }
  pre { background: #212429; }
}
@page { size: A4; margin: 15mm; }
@media print {
  body { max-width: none; margin: 0; padding: 0; font-size: 10pt; }
  h1 { font-size: 16pt; }
  h2 { margin-top: 1.5rem; font-size: 12pt; }
  h2, h3, caption { break-after: avoid; page-break-after: avoid; }
  thead { display: table-header-group; }
  tr, figure, pre, blockquote { break-inside: avoid; page-break-inside: avoid; }
  .wide { overflow: visible; }
  .many table { font-size: 5.5pt; }
  .many td { min-width: 0; }
  figure svg { max-height: 150mm; }
  .label, blockquote, pre, .tokens li { -webkit-print-color-adjust: exact;
    print-color-adjust: exact; }
}
)css";
}

} // namespace headscope
