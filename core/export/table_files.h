#pragma once

#include "core/base/result.h"
#include "core/base/table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace headscope {

/// One line per row with a line of names in front: the columns, the fields, and model,
/// model_sha256, app_version, so that every row says where it comes from and tables of several
/// models can be stacked. RFC 4180 quoting, numbers in the C locale.
std::string tableCsv(const Table& table);

/// A line of cells with tabs between them, to paste into a spreadsheet, which computes none of
/// them. Tabs and line breaks in a cell become spaces.
std::string tabRow(std::vector<std::string> cells);

/// An object with sorted keys and a line end: the fields, under Table::key an array with an object
/// per row, and "provenance". What is nothing or not a number is null.
std::string tableJson(const Table& table);

/// The members as an indented object with sorted keys and a line end. Bytes that are not UTF-8
/// become U+FFFD.
std::string recordJson(const Record& record);

enum class TableFormat { Csv, Json, Hdf5 };

/// By extension: .csv .json .h5 .hdf5; nothing otherwise.
std::optional<TableFormat> tableFormatOf(const std::filesystem::path& path);

/// Writes the table by the extension of `path`, whole or not at all: .csv, .json, or .h5 and .hdf5
/// as a group with a dataset for each column (formats/table_hdf5.h).
Result<void> writeTable(const std::filesystem::path& path, const Table& table);

} // namespace headscope
