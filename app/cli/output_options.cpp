#include "app/cli/output_options.h"

#include "app/cli/command.h"
#include "app/cli/terminal.h"
#include "core/base/text.h"
#include "core/export/table_files.h"
#include "core/io/files_in_use.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <set>
#include <string_view>
#include <vector>

namespace headscope::cli {

ArrayFormat requireArrayFormat(const std::filesystem::path& path) {
    static constexpr std::array<std::string_view, 3> figures{".svg", ".pdf", ".png"};
    if (std::ranges::find(figures, path.extension().string()) != figures.end())
        refuseUsage("Figures such as " + path.string() + " are made by: headscope MODEL --text S " +
                    "--head L.H --figure FILE");
    const auto format = arrayFormatOf(path);
    if (!format)
        refuseUsage("The extension of " + path.string() +
                    " is unknown; use .npz, .npy, .h5, .csv or .json.");
    return *format;
}

Result<void> checkFolder(const std::filesystem::path& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return Error{ErrorCode::WriteFailed,
                     path.string() + " is a folder; give the name of a file in it."};
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    if (!std::filesystem::is_directory(folder, ignored))
        return Error{ErrorCode::NotFound, "Cannot write " + path.string() + ": the folder " +
                                              folder.string() +
                                              " does not exist; make it or choose another."};
    return {};
}

namespace {

/// The options that name what a command writes.
constexpr std::array<std::string_view, 3> kResults{"--output", "--graphml", "--headvis"};

} // namespace

bool namesFile(const CLI::Option& option) {
    return option.get_type_name().find(kFileType) != std::string::npos;
}

bool isResult(const CLI::Option& option) {
    return std::ranges::find(kResults, option.get_name()) != kResults.end();
}

namespace {

/// The files that are there already and that a command, or one below it, shall write.
std::vector<std::string> replacedFiles(const CLI::App& command) {
    std::vector<std::string> files;
    for (const CLI::App* below : command.get_subcommands())
        std::ranges::copy(replacedFiles(*below), std::back_inserter(files));
    std::error_code ignored;
    for (const std::string_view name : kResults) {
        const CLI::Option* const option = command.get_option_no_throw(std::string(name));
        if (option != nullptr && !option->empty() &&
            std::filesystem::is_regular_file(option->results().front(), ignored))
            files.push_back(option->results().front());
    }
    return files;
}

/// What all other options of the command, and of one below it, were given.
std::vector<std::string> namedInputs(const CLI::App& command) {
    std::vector<std::string> inputs;
    for (const CLI::App* below : command.get_subcommands())
        std::ranges::copy(namedInputs(*below), std::back_inserter(inputs));
    for (const CLI::Option* option : command.get_options())
        if (!isResult(*option))
            std::ranges::copy(option->results(), std::back_inserter(inputs));
    return inputs;
}

/// The files that a command, or one below it, shall write, whether they are there or not.
std::vector<std::string> namedResults(const CLI::App& command) {
    std::vector<std::string> files;
    for (const CLI::App* below : command.get_subcommands())
        std::ranges::copy(namedResults(*below), std::back_inserter(files));
    for (const CLI::Option* option : command.get_options())
        if (isResult(*option))
            std::ranges::copy(option->results(), std::back_inserter(files));
    return files;
}

/// Fails where two results would have one name.
Result<void> checkResultsDiffer(const CLI::App& command) {
    std::set<std::filesystem::path> paths;
    std::error_code failed;
    for (const std::string& file : namedResults(command)) {
        const auto path =
            std::filesystem::weakly_canonical(std::filesystem::absolute(file), failed);
        if (!failed && !paths.insert(path).second)
            return Error{ErrorCode::InvalidArgument,
                         "Cannot write '" + file + "' twice; give each result a name of its own."};
    }
    return {};
}

Error isRead(const std::string& file) {
    return {ErrorCode::InvalidArgument, "Cannot write '" + file +
                                            "': it belongs to what this command reads; give the "
                                            "new file another name."};
}

} // namespace

Result<void> checkOutputsAreNoInputs(const CLI::App& command) {
    if (auto checked = checkResultsDiffer(command); !checked)
        return checked;
    return checkOutputsAreNoneOf(command, namedInputs(command));
}

Result<void> checkOutputsAreNotInUse(const CLI::App& command) {
    for (const std::string& file : replacedFiles(command))
        if (isInUse(file))
            return isRead(file);
    return {};
}

Result<void> checkIsNoneOf(const std::filesystem::path& result,
                           std::span<const std::string> inputs) {
    std::error_code ignored;
    for (const std::string& input : inputs)
        if (std::filesystem::equivalent(result, input, ignored))
            return isRead(result.string());
    return {};
}

Result<void> checkOutputsAreNoneOf(const CLI::App& command, std::span<const std::string> inputs) {
    for (const std::string& file : replacedFiles(command))
        if (auto checked = checkIsNoneOf(file, inputs); !checked)
            return checked;
    return {};
}

void printWritten(const std::filesystem::path& path) {
    std::cout << "wrote " << path.string() << ", " << byteText(std::filesystem::file_size(path));
    const ArrayFormat format = *arrayFormatOf(path);
    if (format == ArrayFormat::Npy || format == ArrayFormat::Csv)
        std::cout << ", and " << path.string() << ".json";
    std::cout << '\n';
}

void addTableOptions(CLI::App& app, TableOptions& options) {
    app.add_flag("--csv", options.csv, "Print CSV");
    app.add_flag("--json", options.json, "Print JSON");
    app.add_option("-o,--output", options.output,
                   "Write FILE.csv, FILE.json or FILE.h5 instead of printing");
}

/// -o takes its format from the extension; --csv and --json may repeat it but not contradict it.
void checkTableUsage(const TableOptions& options) {
    if (options.csv && options.json)
        refuseUsage("Only one of --csv and --json can be given.");
    if (options.output.empty())
        return;
    const auto format = tableFormatOf(options.output);
    if (!format)
        refuseUsage("The extension of " + options.output + " is unknown; use .csv, .json or .h5.");
    if ((options.csv && format != TableFormat::Csv) ||
        (options.json && format != TableFormat::Json))
        refuseUsage("The format asked for and the extension of " + options.output + " disagree.");
}

Result<void> checkTableFolder(const TableOptions& options) {
    return options.output.empty() ? Result<void>() : checkFolder(options.output);
}

Result<void> deliverTable(const TableOptions& options, const Table& table) {
    return deliverTable(options, table, {&table, 1});
}

Result<void> deliverTable(const TableOptions& options, const Table& table,
                          std::span<const Table> shown) {
    if (!options.output.empty()) {
        const auto written = writeTable(options.output, table);
        if (written)
            std::cout << "wrote " << options.output << '\n';
        return written;
    }
    if (options.csv)
        printData(tableCsv(table));
    else if (options.json)
        printData(tableJson(table));
    else
        for (const Table& each : shown) {
            if (&each != &shown.front())
                std::cout << '\n';
            printTable(std::cout, each);
        }
    return {};
}

} // namespace headscope::cli
