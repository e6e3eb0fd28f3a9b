#include "app/cli/work_run.h"

#include "app/cli/open_work.h"
#include "core/base/text.h"
#include "core/export/work.h"
#include "core/io/end_signals.h"
#include "core/tensor/gemm.h"
#include "core/tensor/kernels.h"

#include <chrono>
#include <cstdlib>
#include <iostream>

namespace headscope::cli {

std::optional<Shard> shardOf(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return std::nullopt;
    const auto number = parseNumber<std::size_t>(text.substr(0, slash));
    const auto count = parseNumber<std::size_t>(text.substr(slash + 1));
    if (!number || !count || *number < 1 || *number > *count)
        return std::nullopt;
    return Shard{*number - 1, *count};
}

Result<Shard> shardOfArray(const Environment& environment) {
    const auto read = [&](const char* name) -> std::optional<std::size_t> {
        const char* const value = environment(name);
        return value != nullptr ? parseNumber<std::size_t>(value) : std::nullopt;
    };
    if (environment("SLURM_ARRAY_TASK_ID") == nullptr)
        return Shard{};
    const auto id = read("SLURM_ARRAY_TASK_ID");
    const auto count = read("SLURM_ARRAY_TASK_COUNT");
    const std::size_t first = read("SLURM_ARRAY_TASK_MIN").value_or(0);
    const std::size_t last = read("SLURM_ARRAY_TASK_MAX").value_or(0);
    // The step is said for ranges alone, and an array may be a list.
    const bool known = id && count && *count > 0 && *id >= first && *id <= last;
    const std::size_t step = !known || *count == 1 ? 1 : (last - first) / (*count - 1);
    if (!known || step == 0 || last != first + step * (*count - 1) || (*id - first) % step != 0)
        return Error{ErrorCode::InvalidArgument,
                     "The numbers of this Slurm array have gaps, so that a task cannot know which "
                     "one it is; submit a range such as --array=0-6, or give --shard."};
    return Shard{(*id - first) / step, *count};
}

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kBetweenLines{10};

double secondsSince(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// One task: which of its units are there, and the lines that say so.
class Task {
public:
    Task(const WorkPlan& plan, const WorkParts& parts, UnitRange range)
        : plan_(plan), parts_(parts), range_(range) {
        for (std::size_t unit = range.begin; unit < range.end; ++unit)
            if (parts.read(unit))
                ++done_;
            else
                left_.push_back(unit);
        machine_ = blasDescription() + "; " + kernelDescription();
    }

    bool isDone() const { return left_.empty(); }

    void say(WorkEvent event) const {
        event.done = done_;
        event.of = range_.end - range_.begin;
        std::cerr << workEventLine(event) << std::flush;
    }
    void sayBegin() const { say({.event = "begin", .machine = machine_}); }
    void sayEnd() const { say({.event = "end"}); }

    Result<void> run(Work& work) {
        for (const std::size_t unit : left_) {
            if (endIsAskedFor())
                return stopped();
            if (auto done = runUnit(work, unit); !done)
                return done;
        }
        return {};
    }

    Error stopped() const {
        say({.event = "stopped"});
        return {ErrorCode::Cancelled, "Stopped by SIGTERM with " + std::to_string(done_) + " of " +
                                          counted(range_.end - range_.begin, "unit") +
                                          " done; run the same again to go on."};
    }

private:
    Result<void> runUnit(Work& work, std::size_t unit) {
        // Another task may have been given the same units.
        const Clock::time_point begin = Clock::now();
        if (!parts_.read(unit)) {
            const auto content = work.run(unit, progressOf(unit));
            if (!content)
                return content.error();
            if (auto written = parts_.write(unit, {machine_, *content}); !written)
                return written;
        }
        ++done_;
        say({.event = "unit", .unit = plan_.units[unit].name, .seconds = secondsSince(begin)});
        return {};
    }

    /// The progress of a unit that takes long.
    Progress progressOf(std::size_t unit) const {
        return [this, unit, last = Clock::now()](double fraction, std::string_view) mutable {
            if (Clock::now() - last < kBetweenLines)
                return;
            last = Clock::now();
            say({.event = "progress", .unit = plan_.units[unit].name, .fraction = fraction});
        };
    }

    const WorkPlan& plan_;
    const WorkParts& parts_;
    UnitRange range_;
    std::string machine_;
    std::vector<std::size_t> left_;
    std::size_t done_ = 0;
};

} // namespace

Result<void> runTask(const MakeWork& make, const TaskOptions& options) {
    endBetweenSteps();
    const auto plan = readPlan(options.plan, options.command);
    if (!plan)
        return plan.error();
    const auto shard = options.shard ? Result<Shard>(*options.shard) : shardOfArray(std::getenv);
    if (!shard)
        return shard.error();
    const WorkParts parts(options.parts, *plan);
    if (auto made = parts.makeFolder(); !made)
        return made;
    Task task(*plan, parts, plan->shard(shard->index, shard->count));
    task.sayBegin();
    if (!task.isDone()) {
        if (endIsAskedFor())
            return task.stopped();
        const auto work = make();
        if (auto opened = openWork(*work, *plan, options.plan, options.model); !opened)
            return opened;
        if (auto done = task.run(*work); !done)
            return done;
    }
    task.sayEnd();
    return {};
}

} // namespace headscope::cli
