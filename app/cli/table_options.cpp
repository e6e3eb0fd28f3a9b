#include "app/cli/table_options.h"

#include "app/cli/command.h"
#include "app/cli/output_option.h"
#include "app/cli/terminal.h"
#include "app/cli/text_table.h"
#include "core/export/table_files.h"

#include <CLI/CLI.hpp>

#include <iostream>

namespace headscope::cli {

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
