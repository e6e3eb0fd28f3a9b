#include "core/export/formats/table_hdf5.h"

#include "core/base/utf8.h"
#include "core/io/hdf5_writer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace headscope {

namespace {

using ColumnValues =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::string>>;

enum class CellKind { Nothing, Whole, Fraction, Text };

CellKind kindOf(const Value& value) {
    return std::visit(
        []<class Held>(const Held&) {
            if constexpr (std::is_same_v<Held, std::monostate>)
                return CellKind::Nothing;
            else if constexpr (std::is_integral_v<Held>)
                return CellKind::Whole;
            else if constexpr (std::is_floating_point_v<Held>)
                return CellKind::Fraction;
            else
                return CellKind::Text;
        },
        value.held);
}

/// Not of a text. NaN of nothing, if the type has it.
template <class Number>
Number numberIn(const Value& value) {
    return std::visit(
        []<class Held>(const Held& held) {
            if constexpr (std::is_arithmetic_v<Held>)
                return static_cast<Number>(held);
            else
                return std::numeric_limits<Number>::quiet_NaN();
        },
        value.held);
}

std::string textIn(const Value& value) {
    return replaceInvalidUtf8(plainText(value));
}

template <class Cell>
std::vector<Cell> cellsOf(const Table& table, std::size_t column, Cell (*read)(const Value&)) {
    std::vector<Cell> cells;
    cells.reserve(table.rows.size());
    for (const TableRow& row : table.rows)
        cells.push_back(read(row[column]));
    return cells;
}

ColumnValues columnValues(const Table& table, std::size_t column) {
    const auto has = [&](CellKind kind) {
        return std::ranges::any_of(
            table.rows, [&](const TableRow& row) { return kindOf(row[column]) == kind; });
    };
    if (has(CellKind::Text))
        return cellsOf<std::string>(table, column, textIn);
    if (has(CellKind::Fraction) || has(CellKind::Nothing))
        return cellsOf<double>(table, column, numberIn<double>);
    return cellsOf<std::int64_t>(table, column, numberIn<std::int64_t>);
}

std::vector<Hdf5Attribute> rootAttributes(const Table& table) {
    std::vector<Hdf5Attribute> attributes{{"provenance", table.provenance.json()}};
    for (const Field& field : table.fields)
        if (isIn(field.files, Files::Csv))
            attributes.push_back({field.key, textIn(field.value)});
    return attributes;
}

} // namespace

Result<void> writeTableHdf5(const std::filesystem::path& path, const Table& table) {
    const std::string group = table.key.empty() ? "table" : table.key;
    std::vector<ColumnValues> columns;
    columns.reserve(table.columns.size()); // the arrays keep views
    std::vector<Hdf5Array> arrays;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (!isIn(table.columns[i].files, Files::Csv))
            continue;
        columns.push_back(columnValues(table, i));
        Hdf5Array& array = arrays.emplace_back();
        array.path = group + "/" + table.columns[i].key;
        array.shape = {table.rows.size()};
        std::visit([&](const auto& cells) { array.values = std::span(cells); }, columns.back());
    }
    return writeHdf5(path, arrays, rootAttributes(table));
}

} // namespace headscope
