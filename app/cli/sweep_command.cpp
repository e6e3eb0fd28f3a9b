#include "app/cli/command.h"
#include "app/cli/model_option.h"
#include "app/cli/sweep_options.h"
#include "app/cli/sweep_work.h"
#include "app/cli/table_options.h"
#include "app/cli/terminal.h"
#include "app/cli/work_command.h"
#include "core/interventions/tables.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace headscope::cli {

namespace {

struct SweepCommand {
    ModelChoice model;
    SweepOptions asked;
    TableOptions table;
};

Result<void> runSweep(const SweepCommand& options) {
    if (auto checked = checkTableFolder(options.table); !checked)
        return checked;
    const auto model = openModel(options.model);
    if (!model)
        return model.error();
    const auto asked = readSweep(**model, options.asked);
    if (!asked)
        return asked.error();
    const auto result = [&] {
        const ProgressLine line;
        return sweepHeads(*model, asked->question, line.progress());
    }();
    if (!result)
        return result.error();
    return deliverTable(options.table, sweepTable(*result, asked->provenance));
}

} // namespace

Command sweepCommand(CLI::App& parent) {
    const auto options = std::make_shared<SweepCommand>();
    CLI::App* app =
        parent.add_subcommand("sweep", "Ablate each head by itself and measure the effect");
    addModelOption(*app, options->model)->required(false);
    addSweepOptions(*app, options->asked);
    addTableOptions(*app, options->table);
    app->final_callback([app, options] {
        requireModel(*app, options->model);
        checkSweepUsage(options->asked);
        checkTableUsage(options->table);
    });
    return withWork({app, [options] { return runSweep(*options); }}, makeSweepWork);
}

} // namespace headscope::cli
