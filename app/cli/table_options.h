#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <string>

namespace headscope::cli {

/// How a table of numbers is delivered: printed for people, as CSV or JSON, or written to a file.
struct TableOptions {
    std::string output;
    bool csv = false;
    bool json = false;
};

/// --csv, --json and -o
void addTableOptions(CLI::App& app, TableOptions& options);

/// Refuses formats that contradict each other or the extension of -o. Only for callbacks of CLI11.
void checkTableUsage(const TableOptions& options);

/// Fails when -o names a folder that does not exist: better before a long run than after it.
Result<void> checkTableFolder(const TableOptions& options);

/// The ways of writing one table.
struct Table {
    std::function<std::string()> csv;
    std::function<std::string()> json;
    std::function<void()> print;
};
Result<void> deliverTable(const TableOptions& options, const Table& table);

} // namespace headscope::cli
