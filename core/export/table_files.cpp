#include "core/export/table_files.h"

#include "core/base/text.h"
#include "core/export/formats/table_hdf5.h"
#include "core/export/formats/text_arrays.h"
#include "core/io/atomic_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace headscope {

namespace {

using Json = nlohmann::json;

Json jsonOf(const Value& value);

Json jsonOf(const Record& record) {
    Json object = Json::object();
    for (const Member& member : record)
        object[member.name] = jsonOf(member.value);
    return object;
}

struct JsonOf {
    Json operator()(std::monostate) const { return nullptr; }
    template <class Scalar>
    Json operator()(const Scalar& scalar) const {
        return scalar;
    }
    Json operator()(LayerHead head) const { return {{"head", head.head}, {"layer", head.layer}}; }
    Json operator()(const List& values) const {
        Json array = Json::array();
        for (const Value& value : values)
            array.push_back(jsonOf(value));
        return array;
    }
    Json operator()(const SharedRecord& record) const { return jsonOf(*record.members); }
};

Json jsonOf(const Value& value) {
    return std::visit(JsonOf(), value.held);
}

std::string indented(const Json& object) {
    return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json rowsJson(const Table& table) {
    Json rows = Json::array();
    for (const TableRow& row : table.rows) {
        Json object = Json::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            if (isIn(table.columns[i].files, Files::Json))
                object[table.columns[i].key] = jsonOf(row[i]);
        rows.push_back(std::move(object));
    }
    return rows;
}

/// What follows the columns in each line of a CSV file.
std::vector<Member> csvEnd(const Table& table) {
    std::vector<Member> end;
    for (const Field& field : table.fields)
        if (isIn(field.files, Files::Csv))
            end.push_back({field.key, field.value});
    const Provenance& origin = table.provenance;
    end.insert(end.end(), {{"model", origin.model_name},
                           {"model_sha256", origin.model_sha256},
                           {"app_version", origin.app_version}});
    return end;
}

} // namespace

std::string tableCsv(const Table& table) {
    std::vector<std::string> names;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (isIn(table.columns[i].files, Files::Csv)) {
            columns.push_back(i);
            names.push_back(table.columns[i].key);
        }
    std::vector<std::string> end;
    for (const Member& member : csvEnd(table)) {
        names.push_back(member.name);
        end.push_back(plainText(member.value));
    }
    std::string csv = csvCells(names) + "\n";
    const std::string line_end = "," + csvCells(end) + "\n";
    for (const TableRow& row : table.rows) {
        std::vector<std::string> cells;
        cells.reserve(columns.size());
        for (const std::size_t column : columns)
            cells.push_back(plainText(row[column]));
        csv += csvCells(cells) + line_end;
    }
    return csv;
}

std::string tabRow(std::vector<std::string> cells) {
    constexpr std::string_view kEnds = "\t\r\n";
    for (std::string& cell : cells) {
        cell = textCell(cell);
        std::ranges::replace_if(
            cell, [&](char c) { return kEnds.find(c) != std::string_view::npos; }, ' ');
        if (cell.starts_with('"')) // which they would take off
            cell = '"' + replaceAll(cell, "\"", "\"\"") + '"';
    }
    return join(cells, "\t");
}

std::string tableJson(const Table& table) {
    Json object{{"provenance", Json::parse(table.provenance.json())}};
    for (const Field& field : table.fields)
        if (isIn(field.files, Files::Json))
            object[field.key] = jsonOf(field.value);
    if (!table.key.empty())
        object[table.key] = rowsJson(table);
    return indented(object);
}

std::string recordJson(const Record& record) {
    return indented(jsonOf(record));
}

std::optional<TableFormat> tableFormatOf(const std::filesystem::path& path) {
    const std::string extension = path.extension().string();
    if (extension == ".csv")
        return TableFormat::Csv;
    if (extension == ".json")
        return TableFormat::Json;
    if (extension == ".h5" || extension == ".hdf5")
        return TableFormat::Hdf5;
    return std::nullopt;
}

Result<void> writeTable(const std::filesystem::path& path, const Table& table) {
    const auto format = tableFormatOf(path);
    if (!format)
        return Error{ErrorCode::InvalidArgument,
                     "Tables are written as .csv, .json or .h5, not as " + path.string() +
                         "; choose one of these extensions."};
    switch (*format) {
    case TableFormat::Csv:
        return writeFileAtomically(path, tableCsv(table));
    case TableFormat::Json:
        return writeFileAtomically(path, tableJson(table));
    case TableFormat::Hdf5:
        break;
    }
    return writeTableHdf5(path, table);
}

} // namespace headscope
