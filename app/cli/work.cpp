#include "app/cli/work.h"

#include "app/cli/common_options.h"
#include "app/cli/open_work.h"
#include "app/cli/output_options.h"
#include "app/cli/work_merge.h"
#include "app/cli/work_run.h"
#include "core/base/text.h"
#include "core/io/atomic_file.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <utility>

namespace headscope::cli {

namespace {

/// A command below another, whose own options then do not count.
CLI::App* addBelow(CLI::App& parent, const std::string& name, const std::string& help) {
    CLI::App* const app = parent.add_subcommand(name, help);
    app->preparse_callback([&parent, name](std::size_t) {
        for (const CLI::Option* const option : parent.get_options())
            if (option->count() > 0)
                refuseUsage("Options of " + parent.get_name() + " " + name +
                            " must follow it; found " + option->get_name() + " before it.");
    });
    return app;
}

void addModelPlace(CLI::App& app, std::string& path) {
    app.add_option("--model", path,
                   "Where the model of the plan is on this machine, under the name that it had")
        ->check(CLI::ExistingPath);
}

void addPlan(CLI::App& app, std::string& path) {
    app.add_option("PLAN", path, "What the command plan wrote")
        ->required()
        ->check(CLI::ExistingFile);
}

struct PlanCommand {
    ModelChoice model;
    std::string output;
    std::unique_ptr<Work> work;
};

Result<void> writePlan(PlanCommand& options, const CLI::App& app, const std::string& command) {
    if (auto checked = checkFolder(options.output); !checked)
        return checked;
    const auto plan =
        makePlan(*options.work, command, options.model, wordsOf(app, {"output", "help"}));
    if (!plan)
        return plan.error();
    auto written = writeFileAtomically(options.output, plan->json());
    if (written)
        std::cout << "wrote " << options.output << ", " << counted(plan->units.size(), "unit")
                  << '\n';
    return written;
}

Command planBelow(CLI::App& parent, const MakeWork& make) {
    CLI::App* const app =
        addBelow(parent, "plan",
                 "Cut the question into units that tasks compute apart, and write them down");
    const auto options = std::make_shared<PlanCommand>();
    options->work = make();
    addModelOption(*app, options->model)->required(options->work->needsModel());
    options->work->addQuestion(*app);
    app->add_option("-o,--output", options->output, "The plan to write, FILE.json")->required();
    return {app, [options, app, command = parent.get_name()] {
                return writePlan(*options, *app, command);
            }};
}

Command runBelow(CLI::App& parent, const MakeWork& make) {
    CLI::App* const app =
        addBelow(parent, "run", "Compute the parts of one task of a plan that are not there yet");
    const auto options = std::make_shared<TaskOptions>();
    options->command = parent.get_name();
    addPlan(*app, options->plan);
    app->add_option_function<std::string>(
           "--shard", [options](const std::string& text) { options->shard = shardOf(text); },
           "Which task of how many: 1/7 to 7/7. By default that of the Slurm array "
           "(SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT), and outside of one all of the plan")
        ->check([](const std::string& text) {
            return shardOf(text) ? std::string()
                                 : "\"" + text + "\" is no task of so many; write 1/7 to 7/7.";
        });
    app->add_option("-o,--output", options->parts, "The folder of the parts, which is made")
        ->required();
    addModelPlace(*app, options->model);
    return {app, [options, make] { return runTask(make, *options); }};
}

void addParts(CLI::App& app, PartsOptions& options) {
    addPlan(app, options.plan);
    app.add_option("PARTS", options.parts, "The folder that run wrote to")
        ->required()
        ->check(CLI::ExistingDirectory);
}

Command mergeBelow(CLI::App& parent, const MakeWork& make) {
    CLI::App* const app =
        addBelow(parent, "merge", "Put all parts of a plan together to the result");
    const auto options = std::make_shared<PartsOptions>();
    options->command = parent.get_name();
    options->app = app;
    addParts(*app, *options);
    addModelPlace(*app, options->model);
    app->add_flag("--strict", options->strict,
                  "Refuse parts from several kinds of machines, whose numbers differ by rounding");
    const std::shared_ptr<Work> work = make();
    work->addOutput(*app);
    return {app, [options, work] { return mergeParts(*work, *options); }};
}

Command statusBelow(CLI::App& parent) {
    CLI::App* const app =
        addBelow(parent, "status", "Say how many parts of a plan are there, and which are missing");
    struct Options : PartsOptions {
        bool json = false;
    };
    const auto options = std::make_shared<Options>();
    options->command = parent.get_name();
    addParts(*app, *options);
    app->add_flag("--json", options->json, "Print JSON");
    return {app, [options] { return printState(*options, options->json); }};
}

} // namespace

Command withWork(Command command, MakeWork make) {
    CLI::App& app = *command.app;
    app.require_subcommand(0, 1);
    std::vector<Command> below{planBelow(app, make), runBelow(app, make), mergeBelow(app, make),
                               statusBelow(app)};
    return {&app, [below = std::move(below), plain = std::move(command.run)] {
                for (const Command& each : below)
                    if (each.app->parsed())
                        return each.run();
                return plain();
            }};
}

} // namespace headscope::cli
