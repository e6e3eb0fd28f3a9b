#pragma once

#include "core/base/result.h"
#include "core/base/table.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

/// A file that a plan reads, and what was in it when the plan was made.
struct WorkFile {
    std::string path;
    std::string sha256;

    bool operator==(const WorkFile&) const = default;
};

/// What is computed by itself and written as one part. Any units together make a task.
struct WorkUnit {
    std::string name;       ///< "prompt 3, layer 4"; no two of a plan are the same
    std::uint64_t cost = 1; ///< in proportion to the time that it takes

    bool operator==(const WorkUnit&) const = default;
};

/// A run of units in their order.
struct UnitRange {
    std::size_t begin = 0;
    std::size_t end = 0; ///< after the last
};

/// One question, cut into units that any number of tasks compute apart. It holds no time and no
/// place but the paths that were given: the same question makes the same plan.
struct WorkPlan {
    std::string command; ///< "sweep"
    std::string app_version = HEADSCOPE_VERSION;
    std::string model_name;         ///< as results call it; empty: none is read
    WorkFile model;                 ///< empty likewise
    std::vector<std::string> words; ///< the options of the command, without MODEL and outputs
    std::vector<WorkFile> files;    ///< that the words name
    /// SHA-256 of what was read from all that: other tokens are another question.
    std::string question;
    std::vector<WorkUnit> units;

    /// JSON with sorted keys and a line end.
    std::string json() const;
    /// Fails for what is no plan, is one of another version of Headscope, or holds anything that a
    /// plan does not; `name` is the file's.
    static Result<WorkPlan> read(std::string_view text, const std::string& name);
    static Result<WorkPlan> read(const std::filesystem::path& path);

    /// The name of a unit's part: SHA-256 of command, versions, words, question, the contents of
    /// model and files, and the unit's name.
    std::string key(const WorkUnit& unit) const;

    /// The units of task `index` of `count`, counted from 0: consecutive ones, which share what
    /// they read, and for each task about as much cost.
    UnitRange shard(std::size_t index, std::size_t count) const;

    bool operator==(const WorkPlan&) const = default;
};

/// A part as a file holds it.
struct WorkPart {
    std::string machine; ///< kernels and threads that computed it
    std::string content; ///< JSON on one line
};

/// The folder of a plan's parts: "KEY.part" for each unit, written whole or not at all, so that any
/// number of tasks share it. The first line of a part is {"format", "key", "machine", "sha256" of
/// all the rest, "unit"}, the second its content.
class WorkParts {
public:
    WorkParts(std::filesystem::path folder, const WorkPlan& plan);

    /// Makes the folder unless it is there; the one around it must be.
    Result<void> makeFolder() const;

    std::filesystem::path pathOf(std::size_t unit) const;

    /// Fails for a part that is missing, damaged or of another unit; the message names unit and
    /// file.
    Result<WorkPart> read(std::size_t unit) const;
    Result<void> write(std::size_t unit, const WorkPart& part) const;

    struct State {
        std::vector<std::size_t> done;    ///< units
        std::vector<std::size_t> missing; ///< units
        std::vector<std::size_t> damaged; ///< units
        std::vector<std::string> foreign; ///< names of parts that are none of this plan, sorted
    };
    /// Reads every part. Fails where the folder cannot be read.
    Result<State> state() const;
    /// The names of State::foreign alone, which reads no part.
    Result<std::vector<std::string>> foreign() const;

private:
    std::filesystem::path folder_;
    std::vector<WorkUnit> units_;
    std::vector<std::string> keys_; ///< [unit]
};

/// Says in a table on which kinds of machines its parts were computed, if there were several, since
/// its bits are then not those of a single machine: a field "machines", and in the provenance.
void addMachines(Table& table, std::span<const std::string> machines);

/// What a task says of its progress.
struct WorkEvent {
    std::string event; ///< "begin", "progress", "unit", "stopped", "end"
    std::size_t done = 0;
    std::size_t of = 0;                  ///< units of the task
    std::string unit = {};               ///< empty: none in particular
    std::string machine = {};            ///< empty: not said
    std::optional<double> fraction = {}; ///< of the unit, 0..1
    std::optional<double> seconds = {};  ///< that the unit took
};

/// One line of JSON with sorted keys and its end; what is not said is left out.
std::string workEventLine(const WorkEvent& event);

} // namespace headscope
