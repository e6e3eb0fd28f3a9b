#include "core/base/table.h"

#include "core/base/text.h"

#include <nlohmann/json.hpp>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <map>
#include <utility>

namespace headscope {

std::string Provenance::json() const {
    const nlohmann::json object{
        {"ablation", ablation},
        {"app_version", app_version},
        {"has_bos", has_bos},
        {"ids", ids},
        {"model_family", model_family},
        {"model_name", model_name},
        {"model_sha256", model_sha256},
        {"note", note},
        {"pieces", pieces},
        {"prompt_id", promptId()},
        {"prompt_text", prompt_text},
    };
    return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Provenance::promptId() const {
    uLong hash = crc32(0, nullptr, 0);
    for (const TokenId id : ids) {
        const auto bits = static_cast<std::uint32_t>(id);
        const std::array<Bytef, 4> bytes{static_cast<Bytef>(bits), static_cast<Bytef>(bits >> 8),
                                         static_cast<Bytef>(bits >> 16),
                                         static_cast<Bytef>(bits >> 24)};
        hash = crc32(hash, bytes.data(), static_cast<uInt>(bytes.size()));
    }
    std::array<char, 9> digits;
    std::snprintf(digits.data(), digits.size(), "%08lx", hash);
    return digits.data();
}

namespace {

template <class... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

/// The text of a value whose numbers are written by `number`.
template <class NumberText>
std::string textOf(const Value& value, const NumberText& number) {
    return std::visit(Overloaded{[](std::monostate) { return std::string(); },
                                 [](bool truth) { return std::string(truth ? "yes" : "no"); },
                                 [](std::int64_t count) { return std::to_string(count); },
                                 [&](double real) { return number(real); },
                                 [&](float real) { return number(real); },
                                 [](const std::string& text) { return text; },
                                 [](LayerHead head) { return headText(head); },
                                 [&](const List& values) {
                                     std::vector<std::string> texts;
                                     for (const Value& each : values)
                                         texts.push_back(textOf(each, number));
                                     return join(texts, " ");
                                 },
                                 [](const SharedRecord&) { return std::string(); }},
                      value.held);
}

double magnitude(const Value& value) {
    if (const auto* real = std::get_if<double>(&value.held))
        return std::fabs(*real);
    if (const auto* real = std::get_if<float>(&value.held))
        return std::fabs(static_cast<double>(*real));
    return 0.0;
}

/// The cells of a row in the columns of these keys, which tell it from other rows.
TableRow cellsOf(const Table& table, const TableRow& row, std::span<const std::string_view> keys) {
    TableRow cells;
    for (const std::string_view key : keys)
        cells.push_back(row[table.column(key)]);
    return cells;
}

} // namespace

Value::Value(bool truth) : held(truth) {}

Value::Value(double number) : held(number) {}

Value::Value(float number) : held(number) {}

Value::Value(std::string text) : held(std::move(text)) {}

Value::Value(std::string_view text) : held(std::string(text)) {}

Value::Value(const char* text) : held(std::string(text)) {}

Value::Value(LayerHead head) : held(head) {}

Value::Value(List values) : held(std::move(values)) {}

Value::Value(Record members)
    : held(SharedRecord{std::make_shared<const Record>(std::move(members))}) {}

Value unlessEmpty(const std::string& text) {
    return text.empty() ? Value() : Value(text);
}

std::string plainText(const Value& value) {
    return textOf(value, [](auto real) { return numberText(real); });
}

std::string shownText(const Value& value, int decimals) {
    return textOf(value, [decimals](auto real) {
        return std::isnan(real) ? "–" : fixedText(static_cast<double>(real), decimals);
    });
}

std::string headingText(const Column& column) {
    return column.unit.empty() ? column.title : column.title + ", " + column.unit;
}

std::size_t Table::column(std::string_view wanted) const {
    return static_cast<std::size_t>(std::ranges::find(columns, wanted, &Column::key) -
                                    columns.begin());
}

void nameForCsv(Table& table, std::string_view field, std::string name) {
    const auto found = std::ranges::find(table.fields, field, &Field::key);
    found->files = Files::Json;
    table.fields.insert(std::next(found), {std::move(name), found->value, Files::Csv});
}

Table strongestFirst(Table table, std::string_view key) {
    const std::size_t column = table.column(key);
    std::ranges::stable_sort(table.rows, std::ranges::greater(),
                             [column](const TableRow& row) { return magnitude(row[column]); });
    return table;
}

Table pivot(const Table& table, std::span<const std::string_view> by, std::string_view across,
            std::string_view cell) {
    Table grid;
    grid.caption = table.caption;
    grid.provenance = table.provenance;
    for (const std::string_view key : by)
        grid.columns.push_back(table.columns[table.column(key)]);
    const std::size_t across_column = table.column(across);
    const std::size_t cell_column = table.column(cell);
    std::map<std::string, std::size_t> rows;
    std::map<std::string, std::size_t> columns;
    for (const TableRow& row : table.rows) {
        const TableRow head = cellsOf(table, row, by);
        const auto [to_row, new_row] = rows.emplace(plainText(head), grid.rows.size());
        if (new_row)
            grid.rows.push_back(head);
        const std::string title = plainText(row[across_column]);
        const auto [to_column, new_column] = columns.emplace(title, grid.columns.size());
        if (new_column) {
            Column& column = grid.columns.emplace_back(table.columns[cell_column]);
            column.key = column.title = title;
        }
        TableRow& target = grid.rows[to_row->second];
        target.resize(std::max(target.size(), to_column->second + 1));
        target[to_column->second] = row[cell_column];
    }
    for (TableRow& row : grid.rows)
        row.resize(grid.columns.size());
    return grid;
}

} // namespace headscope
