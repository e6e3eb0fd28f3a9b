#pragma once

#include "core/base/result.h"
#include "core/base/table.h"
#include "core/export/named_array.h"

#include <filesystem>
#include <span>
#include <string>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace headscope::cli {

/// What help calls the value of an option that names a file; CLI::ExistingFile says it, too.
inline constexpr const char* kFileType = "FILE";
bool namesFile(const CLI::Option& option);
/// Whether an option names what the command writes, a file or a folder.
bool isResult(const CLI::Option& option);

/// The format of an array file by its extension; wrong usage for an unknown one, and for figures,
/// which the window makes. Only for callbacks of CLI11.
ArrayFormat requireArrayFormat(const std::filesystem::path& path);

/// Fails when the parent folder of `path` does not exist or `path` is a folder itself: better
/// before a long run than after it.
Result<void> checkFolder(const std::filesystem::path& path);

/// Fails where the command that was parsed shall write a file that it also reads: the result would
/// take its place. Also where it shall write two results under one name.
Result<void> checkOutputsAreNoInputs(const CLI::App& command);
/// The same for the files of the model that it has opened.
Result<void> checkOutputsAreNotInUse(const CLI::App& command);
/// The same for `inputs`, which its options do not name.
Result<void> checkOutputsAreNoneOf(const CLI::App& command, std::span<const std::string> inputs);
/// The same for a result that no option names.
Result<void> checkIsNoneOf(const std::filesystem::path& result,
                           std::span<const std::string> inputs);

/// "wrote out.npy, 1.2 MB, and out.npy.json"
void printWritten(const std::filesystem::path& path);

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

/// Writes the table as asked, or prints it.
Result<void> deliverTable(const TableOptions& options, const Table& table);
/// The same, with other tables for people.
Result<void> deliverTable(const TableOptions& options, const Table& table,
                          std::span<const Table> shown);

} // namespace headscope::cli
