#include "app/cli/work_merge.h"

#include "app/cli/open_work.h"
#include "app/cli/output_options.h"
#include "app/cli/terminal.h"
#include "core/base/table.h"
#include "core/base/text.h"
#include "core/base/utf8.h"
#include "core/export/table_files.h"

#include <algorithm>
#include <iostream>
#include <set>
#include <vector>

namespace headscope::cli {

namespace {

constexpr std::size_t kMostNamed = 5;

/// "a; b; c; and 12 more"
std::string someOf(const std::vector<std::string>& names) {
    const std::size_t shown = std::min(names.size(), kMostNamed);
    std::string text = join(std::span(names).first(shown), "; ");
    if (shown < names.size())
        text += "; and " + std::to_string(names.size() - shown) + " more";
    return text;
}

std::vector<std::string> namesOf(const std::vector<std::size_t>& units, const WorkPlan& plan) {
    std::vector<std::string> names;
    names.reserve(units.size());
    for (const std::size_t unit : units)
        names.push_back(plan.units[unit].name);
    return names;
}

struct OpenParts {
    WorkPlan plan;
    WorkParts parts;
};

Result<OpenParts> openParts(const PartsOptions& options) {
    auto plan = readPlan(options.plan, options.command);
    if (!plan)
        return plan.error();
    WorkParts parts(options.parts, *plan);
    return OpenParts{*std::move(plan), std::move(parts)};
}

/// All that can be said before the model is opened.
Result<void> checkComplete(const OpenParts& open, const PartsOptions& options) {
    const auto state = open.parts.state();
    if (!state)
        return state.error();
    if (!state->foreign.empty())
        return Error{ErrorCode::Mismatch, options.parts + " holds parts that are none of " +
                                              options.plan + ": " + someOf(state->foreign) +
                                              "; move them away."};
    if (!state->damaged.empty())
        return open.parts.read(state->damaged.front()).error();
    if (!state->missing.empty())
        return Error{ErrorCode::NotFound, options.parts + " lacks " +
                                              std::to_string(state->missing.size()) + " of " +
                                              counted(open.plan.units.size(), "part") + ": " +
                                              someOf(namesOf(state->missing, open.plan)) +
                                              "; run the tasks that they belong to."};
    return {};
}

/// Rounding depends on kernels and, where products are cut among them, on threads.
Result<void> checkMachines(const std::vector<std::string>& machines, bool strict) {
    if (machines.size() < 2)
        return {};
    const std::string found = "The parts come from machines of " + std::to_string(machines.size()) +
                              " kinds, whose numbers differ by rounding: ";
    if (strict)
        return Error{
            ErrorCode::Mismatch,
            found + someOf(machines) +
                "; run the tasks of one kind again on the other, or merge without --strict."};
    std::cerr << "headscope-cli: " << escapeControls(found + join(machines, "; ")) << ".\n";
    return {};
}

Value unitList(const std::vector<std::size_t>& units, const WorkPlan& plan) {
    return listOf(namesOf(units, plan));
}

} // namespace

Result<void> mergeParts(Work& work, const PartsOptions& options) {
    if (auto checked = work.checkOutput(); !checked)
        return checked;
    const auto open = openParts(options);
    if (!open)
        return open.error();
    if (auto complete = checkComplete(*open, options); !complete)
        return complete;
    if (auto opened = openWork(work, open->plan, options.plan, options.model); !opened)
        return opened;
    if (auto checked = checkOutputsAreNoneOf(*options.app, work.files()); !checked)
        return checked;
    std::set<std::string> machines;
    for (std::size_t unit = 0; unit < open->plan.units.size(); ++unit) {
        const auto part = open->parts.read(unit);
        if (!part)
            return part.error();
        if (!work.take(unit, *part))
            return Error{ErrorCode::Malformed,
                         "The part of " + open->plan.units[unit].name + ", " +
                             open->parts.pathOf(unit).string() +
                             ", does not hold what such a part does; remove it and run its task "
                             "again."};
        machines.insert(part->machine);
    }
    const std::vector<std::string> kinds(machines.begin(), machines.end());
    if (auto checked = checkMachines(kinds, options.strict); !checked)
        return checked;
    return work.deliver(kinds);
}

Result<void> printState(const PartsOptions& options, bool json) {
    const auto open = openParts(options);
    if (!open)
        return open.error();
    const auto state = open->parts.state();
    if (!state)
        return state.error();
    const WorkPlan& plan = open->plan;
    if (json) {
        printData(recordJson({{"damaged", unitList(state->damaged, plan)},
                              {"done", state->done.size()},
                              {"foreign", listOf(state->foreign)},
                              {"missing", unitList(state->missing, plan)},
                              {"units", plan.units.size()}}));
        return {};
    }
    std::cout << state->done.size() << " of " << counted(plan.units.size(), "unit") << " done\n";
    const auto line = [](const char* what, const std::vector<std::string>& names) {
        if (!names.empty())
            std::cout << what << names.size() << ": " << someOf(names) << '\n';
    };
    line("missing  ", namesOf(state->missing, plan));
    line("damaged  ", namesOf(state->damaged, plan));
    line("foreign  ", state->foreign);
    return {};
}

} // namespace headscope::cli
