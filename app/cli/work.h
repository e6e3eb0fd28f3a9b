#pragma once

#include "app/cli/command.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/export/work.h"
#include "core/model/model.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace headscope::cli {

/// What a question comes to once model and texts are read.
struct WorkQuestion {
    std::string text; ///< the same for the same numbers only
    std::vector<WorkUnit> units;
};

/// The question of a command as tasks of a cluster answer it: unit by unit, and from the parts of
/// all units the result that the command itself gives. Calls come in the order of the functions.
class Work {
public:
    Work() = default;
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    /// The options of the question, without MODEL and what says where a result goes.
    virtual void addQuestion(CLI::App& app) = 0;
    virtual bool needsModel() const { return true; }
    /// The files that the options name.
    virtual std::vector<std::string> files() const = 0;
    virtual Result<WorkQuestion> prepare(std::shared_ptr<const Model> model) = 0;

    /// The content of a unit's part.
    virtual Result<std::string> run(std::size_t unit, const Progress& progress) = 0;

    /// The options of what merging writes.
    virtual void addOutput(CLI::App& app) = 0;
    virtual Result<void> checkOutput() const = 0;
    /// The parts of all units, in their order; false for content of another form.
    virtual bool take(std::size_t unit, const WorkPart& part) = 0;
    /// `machines` are the kinds that computed the parts, sorted: with several, rounding differs
    /// from that of the command itself, and the result says so (addMachines()).
    virtual Result<void> deliver(const std::vector<std::string>& machines) = 0;
};

using MakeWork = std::function<std::unique_ptr<Work>()>;

/// The command with plan, run, merge and status below it, by which its question is spread over any
/// number of tasks. No positional option of the command itself may be required (requireModel()).
Command withWork(Command command, MakeWork make);

} // namespace headscope::cli
